import { getRouteApi } from '@tanstack/react-router';
import { ListTodo } from 'lucide-react';
import { useMemo } from 'react';
import { isAdmin, useSession } from '../../api/session.ts';
import { nav_task, task_col_platform, task_empty, task_empty_text, task_platform_all } from '../../i18n/generated/messages.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { useRange } from '../../ui/form/useRange.ts';
import { FilterSelect } from '../../ui/table/FilterSelect.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { narrowingOf } from '../../ui/task/narrowing.ts';
import { TaskFilters } from '../../ui/task/TaskFilters.tsx';
import { TaskPage } from '../../ui/task/TaskPage.tsx';
import { useWatched } from '../../ui/task/useWatched.ts';
import { taskColumns } from './columns.tsx';
import { defaultTaskRange, faceOfPlatform, platformChoices } from './model.ts';
import { tasksQuery } from './queries.ts';
import type { TaskLogSearch } from './search.ts';

const route = getRouteApi('/_console/task');

function PlatformFilter({ search, change }: { search: TaskLogSearch; change(next: TaskLogSearch): void }) {
  return (
    <FilterSelect
      label={task_col_platform()}
      all={task_platform_all()}
      value={search.platform}
      options={platformChoices}
      textOf={(platform) => faceOfPlatform(platform).text}
      onChange={(platform) => change({ platform })}
      className="w-32 max-sm:w-[calc(50%-4px)]"
    />
  );
}

/** /task: music, lyrics and videos, and how far each is. */
export function TasksPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const session = useSession();
  const forAll = isAdmin(session);
  const { range, renew } = useRange(search, defaultTaskRange);
  const change = (next: TaskLogSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('task', search, change);
  const columns = useMemo(() => taskColumns(forAll, session?.id), [forAll, session?.id]);
  const { id, platform, status, channel, user } = search;
  const watched = useWatched(tasksQuery({ ...range, id, platform, status, channel, user }, forAll, list.page, list.size));
  const { active, narrowed } = narrowingOf(search);
  return (
    <TaskPage
      title={nav_task()}
      table="task"
      columns={columns}
      watched={watched}
      list={list}
      renew={renew}
      filters={{
        active,
        clear: () => change({ id: undefined, platform: undefined, status: undefined, channel: undefined, user: undefined }),
        fields: (
          <TaskFilters search={search} range={range} change={change} forAll={forAll}>
            <PlatformFilter search={search} change={change} />
          </TaskFilters>
        ),
      }}
      clear={narrowed && (() => void navigate({ to: '/task', search: {} }))}
      empty={<EmptyState icon={ListTodo} title={task_empty()} text={task_empty_text()} />}
    />
  );
}
