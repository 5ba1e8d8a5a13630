import { getRouteApi, Link } from '@tanstack/react-router';
import { Image as ImageIcon } from 'lucide-react';
import { useMemo } from 'react';
import { isAdmin, isRoot, useSession } from '../../api/session.ts';
import { useStatus } from '../../api/status.ts';
import {
  nav_drawing,
  task_empty_drawing,
  task_empty_drawing_text,
  task_notify_off,
  task_notify_open,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { useRange } from '../../ui/form/useRange.ts';
import { useListState } from '../../ui/table/list-state.ts';
import { narrowingOf } from '../../ui/task/narrowing.ts';
import type { TaskListSearch } from '../../ui/task/search.ts';
import { TaskFilters } from '../../ui/task/TaskFilters.tsx';
import { TaskPage } from '../../ui/task/TaskPage.tsx';
import { useWatched } from '../../ui/task/useWatched.ts';
import { drawingColumns } from './columns.tsx';
import { defaultDrawingRange } from './model.ts';
import { drawingsQuery } from './queries.ts';

const route = getRouteApi('/_console/midjourney');

/** Administrators are told that results come late when the upstream may not report by itself. */
function NotifyBanner() {
  const status = useStatus();
  const session = useSession();
  if (!isAdmin(session) || status === undefined || status.mj_notify_enabled) return null;
  return (
    <div className="mb-2">
      <Alert tone="info">
        {task_notify_off()}{' '}
        {isRoot(session) && (
          <Link to="/setting" search={{ tab: 'operation' }} className="underline">
            {task_notify_open()}
          </Link>
        )}
      </Alert>
    </div>
  );
}

/** /midjourney: every drawing, and how far it is. */
export function DrawingPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const forAll = isAdmin(useSession());
  const { range, renew } = useRange(search, defaultDrawingRange);
  const change = (next: TaskListSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('drawing', search, change);
  const columns = useMemo(() => drawingColumns(forAll), [forAll]);
  const { id, status, channel, user } = search;
  const watched = useWatched(drawingsQuery({ ...range, id, status, channel, user }, forAll, list.page, list.size));
  const { active, narrowed } = narrowingOf(search);
  return (
    <TaskPage
      title={nav_drawing()}
      table="drawing"
      columns={columns}
      watched={watched}
      list={list}
      renew={renew}
      filters={{
        active,
        clear: () => change({ id: undefined, status: undefined, channel: undefined, user: undefined }),
        fields: <TaskFilters search={search} range={range} change={change} forAll={forAll} drawings />,
      }}
      clear={narrowed && (() => void navigate({ to: '/midjourney', search: {} }))}
      empty={<EmptyState icon={ImageIcon} title={task_empty_drawing()} text={task_empty_drawing_text()} />}
    >
      <NotifyBanner />
    </TaskPage>
  );
}
