import { useQuery } from '@tanstack/react-query';
import type { PriceVersion } from '@tollgate/contract';
import { History } from 'lucide-react';
import {
  col_time,
  price_reset,
  price_rollback,
  price_rollback_done,
  price_rollback_text,
  price_rollback_title,
  price_sync_catalogue,
  price_version_author,
  price_version_changed,
  price_version_note,
  price_version_number,
  price_version_origin,
  price_version_rollback,
  price_version_sync,
  price_versions,
  price_versions_empty,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { ChangeTable } from '../../ui/ChangeTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { usePages } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { useRollback, versionsQuery } from './queries.ts';

function RollbackButton({ version }: { version: PriceVersion }) {
  const rollback = useRollback();
  const run = async () => {
    const sure = await confirm({
      title: price_rollback_title({ id: version.id }),
      text: price_rollback_text(),
      confirmLabel: price_rollback(),
    });
    if (!sure) return;
    rollback.mutate(version.id, {
      onError: notifyError,
      onSuccess: () => notify('ok', price_rollback_done({ id: version.id })),
    });
  };
  return (
    <Button size="sm" icon={History} pending={rollback.isPending} onClick={() => void run()}>
      {price_rollback()}
    </Button>
  );
}

/** Notes are `origin`, `reset`, `rollback:3`, `sync:catalogue`; others speak for themselves. */
function noteOf({ note }: PriceVersion): string {
  const [kind = '', ...rest] = note.split(':');
  const subject = rest.join(':');
  if (kind === 'origin') return price_version_origin();
  if (kind === 'reset') return price_reset();
  if (kind === 'rollback') return price_version_rollback({ id: subject });
  if (kind === 'sync') return price_version_sync({ source: subject === 'catalogue' ? price_sync_catalogue() : subject });
  return note || '–';
}

const columns: readonly Column<PriceVersion>[] = [
  { id: 'id', header: () => '#', card: 'title', cell: ({ id }) => price_version_number({ id }) },
  { id: 'time', header: col_time, cell: (row) => <Time seconds={row.created_at} /> },
  { id: 'author', header: price_version_author, cell: ({ author }) => author || '–' },
  { id: 'changed', header: price_version_changed, end: true, cell: ({ changed }) => changed },
  { id: 'note', header: price_version_note, fill: true, cell: noteOf },
  { id: 'actions', header: price_rollback, end: true, card: 'actions', cell: (row) => <RollbackButton version={row} /> },
];
const detail = ({ id, diff, changed }: PriceVersion) => (
  <ChangeTable label={price_version_number({ id })} diff={diff} changed={changed} />
);

/** Every state that the prices had: who changed what, and the way back. */
export function Versions() {
  const list = usePages(10);
  const query = useQuery(versionsQuery(list.page, list.size));
  return (
    <PagedTable
      label={price_versions()}
      columns={columns}
      query={query}
      list={list}
      empty={<EmptyState icon={History} title={price_versions_empty()} />}
      options={{ detail }}
    />
  );
}
