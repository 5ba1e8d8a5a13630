import { useState } from 'react';
import {
  col_group,
  price_group_add,
  price_group_delete,
  price_group_delete_text,
  price_group_empty,
  price_group_empty_text,
  price_group_ratio,
  price_group_text,
  price_group_title,
  price_pair_add,
  price_pair_delete,
  price_pair_delete_text,
  price_pair_empty,
  price_pair_empty_text,
  price_pair_group,
  price_pair_text,
  price_pair_title,
  price_pair_usual,
  price_user_group,
} from '../../i18n/generated/messages.ts';
import type { Column } from '../../ui/table/columns.ts';
import type { PriceTexts } from './draft.ts';
import { EntryTable } from './EntryTable.tsx';
import { GroupDialog, PairDialog } from './GroupDialogs.tsx';
import { type GroupRow, groupRows, type PairRow, pairRows, withGroup, withoutGroup, withoutPair, withPair } from './groups.ts';

interface Props {
  texts: PriceTexts;
  change(texts: PriceTexts): void;
}

const groupColumns: readonly Column<GroupRow>[] = [
  {
    id: 'group',
    header: col_group,
    card: 'title',
    fill: true,
    cell: ({ group }) => <span className="font-medium">{group}</span>,
  },
  { id: 'ratio', header: price_group_ratio, end: true, cell: ({ ratio }) => `×${ratio}` },
];

const newGroup = { group: '', ratio: '1' };

function GroupRatios({ texts, change }: Props) {
  /** The row that is edited; without a name it is new. */
  const [open, setOpen] = useState<{ group: string; ratio: string }>();
  const rows = groupRows(texts);
  return (
    <div>
      <EntryTable
        label={price_group_title()}
        text={price_group_text()}
        rows={rows}
        columns={groupColumns}
        nameOf={({ group }) => group}
        addLabel={price_group_add()}
        add={() => setOpen(newGroup)}
        edit={({ group, ratio }) => setOpen({ group, ratio: String(ratio) })}
        remove={({ group }) => change(withoutGroup(texts, group))}
        removeTitle={({ group }) => price_group_delete({ group })}
        removeText={price_group_delete_text()}
        empty={{ title: price_group_empty(), text: price_group_empty_text() }}
      />
      {open && (
        <GroupDialog
          row={open}
          taken={new Set(rows.map(({ group }) => group).filter((group) => group !== open.group))}
          onClose={() => setOpen(undefined)}
          onDone={(group, ratio) => {
            change(withGroup(texts, group, ratio, open.group || group));
            setOpen(undefined);
          }}
        />
      )}
    </div>
  );
}

const pairColumns = (usual: ReadonlyMap<string, number>): readonly Column<PairRow>[] => [
  {
    id: 'user',
    header: price_user_group,
    card: 'title',
    fill: true,
    cell: ({ userGroup }) => <span className="font-medium">{userGroup}</span>,
  },
  { id: 'group', header: price_pair_group, cell: ({ group }) => group },
  { id: 'ratio', header: price_group_ratio, end: true, cell: ({ ratio }) => `×${ratio}` },
  {
    id: 'usual',
    header: price_pair_usual,
    end: true,
    cell: ({ group }) => <span className="text-muted">×{usual.get(group) ?? 1}</span>,
  },
];

function PairRatios({ texts, change }: Props) {
  /** The pair that is edited; undefined inside: a new one. */
  const [open, setOpen] = useState<{ row?: PairRow }>();
  const rows = pairRows(texts);
  const groups = groupRows(texts);
  return (
    <div className="mt-6">
      <EntryTable
        label={price_pair_title()}
        text={price_pair_text()}
        rows={rows}
        columns={pairColumns(new Map(groups.map(({ group, ratio }) => [group, ratio])))}
        nameOf={({ userGroup, group }) => `${userGroup} → ${group}`}
        addLabel={price_pair_add()}
        add={() => setOpen({})}
        edit={(row) => setOpen({ row })}
        remove={(row) => change(withoutPair(texts, row))}
        removeTitle={({ userGroup, group }) => price_pair_delete({ pair: `${userGroup} → ${group}` })}
        removeText={price_pair_delete_text()}
        empty={{ title: price_pair_empty(), text: price_pair_empty_text() }}
      />
      {open && (
        <PairDialog
          row={open.row}
          groups={groups.map(({ group }) => group)}
          taken={rows.filter(({ id }) => id !== open.row?.id)}
          onClose={() => setOpen(undefined)}
          onDone={(pair) => {
            change(withPair(texts, pair, open.row));
            setOpen(undefined);
          }}
        />
      )}
    </div>
  );
}

/** What the groups pay: each as a whole, and users of one group in another. */
export function Groups(props: Props) {
  return (
    <>
      <GroupRatios {...props} />
      <PairRatios {...props} />
    </>
  );
}
