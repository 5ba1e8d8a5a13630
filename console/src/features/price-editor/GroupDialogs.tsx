import { useId } from 'react';
import {
  col_group,
  price_group_add,
  price_group_edit,
  price_group_ratio,
  price_group_ratio_hint,
  price_pair_add,
  price_pair_edit,
  price_pair_group,
  price_user_group,
} from '../../i18n/generated/messages.ts';
import { Field } from '../../ui/Field.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { ApplyDialog } from './ApplyDialog.tsx';
import { readNumber } from './form.ts';
import { type GroupFields, groupFaults, type PairFields, type PairRow, pairFaults } from './groups.ts';

interface InputProps {
  label: string;
  error?: string;
  hint?: string;
  /** Names to choose from; others may be typed. */
  choices?: readonly string[];
  numeric?: boolean;
  field: ReturnType<ReturnType<typeof useSmallForm<string>>['field']>;
}

function Input({ label, error, hint, choices, numeric, field }: InputProps) {
  const list = useId();
  return (
    <Field label={label} error={error} hint={hint}>
      {(control) => (
        <>
          <input
            {...control}
            {...field}
            className="control tabular-nums"
            autoComplete="off"
            inputMode={numeric ? 'decimal' : undefined}
            maxLength={numeric ? 24 : 64}
            list={choices && list}
          />
          {choices && (
            <datalist id={list}>
              {choices.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

function RatioInput(props: Pick<InputProps, 'error' | 'field'>) {
  return <Input {...props} label={price_group_ratio()} hint={price_group_ratio_hint()} numeric />;
}

interface GroupProps {
  row: GroupFields;
  taken: ReadonlySet<string>;
  onClose(): void;
  onDone(group: string, ratio: number): void;
}

/** The ratio of one group. */
export function GroupDialog({ row, taken, onClose, onDone }: GroupProps) {
  const form = useSmallForm<keyof GroupFields>({ group: row.group, ratio: row.ratio }, (fields) => groupFaults(fields, taken));
  const submit = form.submit(({ group, ratio }) => onDone(group.trim(), readNumber(ratio) ?? 1));
  return (
    <ApplyDialog
      title={row.group === '' ? price_group_add() : price_group_edit({ group: row.group })}
      dirty={form.dirty}
      onClose={onClose}
      onSubmit={submit}
    >
      <Input label={col_group()} error={form.errors.group} field={form.field('group')} />
      <RatioInput error={form.errors.ratio} field={form.field('ratio')} />
    </ApplyDialog>
  );
}

interface PairProps {
  row?: PairRow;
  groups: readonly string[];
  taken: readonly PairRow[];
  onClose(): void;
  onDone(pair: Omit<PairRow, 'id'>): void;
}

const fieldsOf = (row: PairRow | undefined): PairFields =>
  row ? { userGroup: row.userGroup, group: row.group, ratio: String(row.ratio) } : { userGroup: '', group: '', ratio: '' };

/** What users of one group pay in another. */
export function PairDialog({ row, groups, taken, onClose, onDone }: PairProps) {
  const form = useSmallForm<keyof PairFields>(fieldsOf(row), (fields) => pairFaults(fields, taken));
  const submit = form.submit(({ userGroup, group, ratio }) =>
    onDone({ userGroup: userGroup.trim(), group: group.trim(), ratio: readNumber(ratio) ?? 1 }),
  );
  const title = row ? price_pair_edit({ pair: `${row.userGroup} → ${row.group}` }) : price_pair_add();
  return (
    <ApplyDialog title={title} dirty={form.dirty} onClose={onClose} onSubmit={submit}>
      <Input label={price_user_group()} error={form.errors.userGroup} choices={groups} field={form.field('userGroup')} />
      <Input label={price_pair_group()} error={form.errors.group} choices={groups} field={form.field('group')} />
      <RatioInput error={form.errors.ratio} field={form.field('ratio')} />
    </ApplyDialog>
  );
}
