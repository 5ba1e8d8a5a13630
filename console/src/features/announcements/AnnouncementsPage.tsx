import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Announcement } from '@tollgate/contract';
import { CheckCheck, Megaphone, Pencil, Plus, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isRoot, useSession } from '../../api/session.ts';
import {
  action_delete,
  action_edit,
  announce_create,
  announce_empty,
  announce_new,
  announce_read_all,
  announce_remove_text,
  announce_remove_title,
  announce_removed,
  nav_announcement,
  site_notice,
} from '../../i18n/generated/messages.ts';
import { pageSizes } from '../../lib/list-search.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button, IconButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Markup } from '../../ui/markup/Markup.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Time } from '../../ui/Time.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { Pager } from '../../ui/table/Pager.tsx';
import { NoRows } from '../../ui/table/placeholders.tsx';
import { noticeQuery } from '../home/queries.ts';
import { EditDialog } from './EditDialog.tsx';
import { kindFaces } from './kinds.ts';
import { announcementsQuery, useReading, useRemoval } from './queries.ts';

const route = getRouteApi('/_console/announcement');

interface EntryProps {
  entry: Announcement;
  onEdit: (() => void) | undefined;
}

function Entry({ entry, onEdit }: EntryProps) {
  const removal = useRemoval();
  const { text, tone } = kindFaces[entry.kind];
  const remove = async () => {
    const question = { title: announce_remove_title({ title: entry.title }), text: announce_remove_text() };
    const sure = await confirm({ ...question, confirmLabel: action_delete(), tone: 'bad' });
    if (sure) removal.mutate(entry.id, { onError: notifyError, onSuccess: () => notify('ok', announce_removed()) });
  };
  return (
    <li className="card px-5 py-4 max-sm:px-4">
      <div className="flex min-h-7 flex-wrap items-center gap-2">
        <h2 className="min-w-0 break-words text-base">{entry.title}</h2>
        <Badge tone={tone}>{text()}</Badge>
        {!entry.read && <Badge tone="bad">{announce_new()}</Badge>}
        <span className="ml-auto flex items-center gap-1 text-muted text-xs">
          <Time seconds={entry.created_at} />
          {onEdit && (
            <>
              <IconButton icon={Pencil} label={action_edit()} size="sm" onClick={onEdit} />
              <IconButton icon={Trash2} label={action_delete()} size="sm" tone="bad" onClick={() => void remove()} />
            </>
          )}
        </span>
      </div>
      <Markup source={entry.content} className="mt-2" />
    </li>
  );
}

/** What is shown counts as read. */
function useReadShown(items: readonly Announcement[] | undefined): void {
  const { mutate } = useReading();
  const unread = items?.flatMap(({ id, read }) => (read ? [] : [id])).join(',');
  useEffect(() => {
    if (unread) mutate(unread.split(',').map(Number));
  }, [unread, mutate]);
}

/** /announcement: everything that the operator told, newest first, below the present notice. */
export function AnnouncementsPage() {
  const root = isRoot(useSession());
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useListState(
    'announcements',
    search,
    (next) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) }),
  );
  const { data: notice = '' } = useQuery(noticeQuery);
  const { data, error, refetch } = useQuery(announcementsQuery(list.page, list.size));
  const [edited, setEdited] = useState<Announcement | 'new'>();
  const readAll = useReading();
  useReadShown(data?.items);
  return (
    <div className="max-w-4xl">
      <PageHeader title={nav_announcement()}>
        <Button
          icon={CheckCheck}
          disabled={data?.total === 0}
          pending={readAll.isPending}
          onClick={() => readAll.mutate(undefined, { onError: notifyError, onSuccess: () => refetch() })}
        >
          {announce_read_all()}
        </Button>
        {root && (
          <Button icon={Plus} tone="primary" onClick={() => setEdited('new')}>
            {announce_create()}
          </Button>
        )}
      </PageHeader>
      {notice.trim() !== '' && (
        <section aria-label={site_notice()} className="card mb-3 px-5 py-4 max-sm:px-4">
          <h2 className="mb-2 text-base">{site_notice()}</h2>
          <Markup source={notice} />
        </section>
      )}
      {error && <LoadError error={error} retry={refetch} />}
      {data?.items.length === 0 && (
        <NoRows list={list} page={data}>
          <EmptyState icon={Megaphone} title={announce_empty()} />
        </NoRows>
      )}
      <ul aria-busy={data === undefined && !error} className="flex min-h-40 flex-col gap-3">
        {data?.items.map((entry) => (
          <Entry key={entry.id} entry={entry} onEdit={root ? () => setEdited(entry) : undefined} />
        ))}
      </ul>
      {/* Also beyond the end, and where all fits on a page that was made longer: it is the way back. */}
      {data && (data.total > pageSizes[0] || list.page > 1) && (
        <Pager list={list} total={data.total} hasNext={list.page * list.size < data.total} />
      )}
      {edited && <EditDialog announcement={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </div>
  );
}
