import { useQuery } from '@tanstack/react-query';
import type { OptionVersion } from '@tollgate/contract';
import { History, Undo2 } from 'lucide-react';
import { useState } from 'react';
import {
  col_time,
  history_all,
  history_author,
  history_empty,
  history_filter,
  history_list,
  history_note,
  history_note_reset,
  history_note_rollback,
  history_note_sync,
  history_note_undo,
  history_options,
  history_system,
  history_undo,
  history_undo_text,
  history_undo_title,
  history_undone,
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
import { allGroups, labelOf } from './entries.ts';
import { historyQuery, useUndo } from './history-queries.ts';

function UndoButton({ version: { id, restores } }: { version: OptionVersion }) {
  const undo = useUndo();
  if (restores.length === 0) return null;
  const run = async () => {
    const sure = await confirm({
      title: history_undo_title({ id }),
      text: history_undo_text({ options: restores.map(labelOf).join(', ') }),
      confirmLabel: history_undo(),
    });
    if (!sure) return;
    undo.mutate(id, { onError: notifyError, onSuccess: () => notify('ok', history_undone({ id })) });
  };
  return (
    <Button size="sm" icon={Undo2} pending={undo.isPending} onClick={() => void run()}>
      {history_undo()}
    </Button>
  );
}

/** Notes are `undo:3`, `rollback:3`, `reset`, `sync:...`; others speak for themselves. */
function noteOf({ note }: OptionVersion): string {
  const [kind = '', id = ''] = note.split(':');
  if (kind === 'undo') return history_note_undo({ id });
  if (kind === 'rollback') return history_note_rollback({ id });
  if (kind === 'reset') return history_note_reset();
  return kind === 'sync' ? history_note_sync() : note || '–';
}

const changedOf = ({ diff }: OptionVersion): string => [...new Set(diff.map(({ option }) => labelOf(option)))].join(', ');

const columns: readonly Column<OptionVersion>[] = [
  { id: 'id', header: () => '#', card: 'title', cell: ({ id }) => `#${id}` },
  { id: 'time', header: col_time, cell: (row) => <Time seconds={row.created_at} /> },
  { id: 'author', header: history_author, cell: ({ author }) => author || history_system() },
  { id: 'options', header: history_options, fill: true, clip: true, cell: changedOf },
  { id: 'note', header: history_note, cell: noteOf },
  { id: 'actions', header: history_undo, end: true, card: 'actions', cell: (row) => <UndoButton version={row} /> },
];
const detail = ({ id, diff, changed }: OptionVersion) => <ChangeTable label={`#${id}`} diff={diff} changed={changed} />;

/** Every save of settings: who changed what, and one press to take it back. */
export function HistoryTab() {
  const list = usePages(20);
  const [key, setKey] = useState('');
  const query = useQuery(historyQuery(list.page, list.size, key));
  const choose = (next: string) => {
    setKey(next);
    list.setPage(1);
  };
  return (
    <>
      <label className="mb-3 flex flex-wrap items-center gap-2">
        {history_filter()}
        <select className="control w-72 max-sm:w-full" value={key} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">{history_all()}</option>
          {allGroups.flatMap(({ entries }) =>
            entries.map((entry) => (
              <option key={entry.key} value={entry.key}>
                {labelOf(entry.key)}
              </option>
            )),
          )}
        </select>
      </label>
      <PagedTable
        label={history_list()}
        columns={columns}
        query={query}
        list={list}
        clear={key !== '' && (() => choose(''))}
        empty={<EmptyState icon={History} title={history_empty()} />}
        options={{ detail }}
      />
    </>
  );
}
