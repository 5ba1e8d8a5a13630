import type { OptionRow } from '@tollgate/contract';
import { useMoney } from '../../api/status.ts';
import { quota_equals, settings_default } from '../../i18n/generated/messages.ts';
import { formatQuota, formatUnits } from '../../lib/money.ts';
import { TextButton } from '../../ui/Button.tsx';
import { type ControlProps, Field, SwitchField } from '../../ui/Field.tsx';
import { JsonField } from '../../ui/form/JsonField.tsx';
import { ChatsField } from './ChatsField.tsx';
import { choiceLabel, type Entry, labelOf } from './entries.ts';
import { hintOf } from './find.ts';
import { shownText } from './model.ts';
import { SecretField } from './SecretField.tsx';

interface Props {
  entry: Entry;
  row: OptionRow;
  text: string;
  error?: string;
  /** Undefined takes the change back. */
  set(text: string | undefined): void;
}

const rows = { words: 2, lines: 6, markup: 8 } as const;

function Input({ entry: { key, control }, row, text, set, field }: Props & { field: ControlProps }) {
  if (control === 'choice') {
    return (
      <select {...field} className="control" value={text} onChange={(event) => set(event.currentTarget.value)}>
        {row.choices?.map((choice) => (
          <option key={choice} value={choice}>
            {choiceLabel(key, choice)}
          </option>
        ))}
      </select>
    );
  }
  if (control === 'words' || control === 'lines' || control === 'markup') {
    return (
      <textarea
        {...field}
        className={control === 'markup' ? 'control' : 'control font-mono text-xs'}
        rows={rows[control]}
        spellCheck={false}
        value={text}
        onChange={(event) => set(event.currentTarget.value)}
      />
    );
  }
  const isNumber = control === 'number' || control === 'quota';
  return (
    <input
      {...field}
      className={isNumber ? 'control tabular-nums' : 'control'}
      inputMode={isNumber ? 'decimal' : control === 'address' ? 'url' : undefined}
      autoComplete="off"
      spellCheck={false}
      maxLength={isNumber ? 24 : 2000}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

function DefaultButton({ entry, row, text, set }: Props) {
  if (row.default === undefined || shownText(entry, row.default) === text) return null;
  return <TextButton onClick={() => set(shownText(entry, row.default ?? ''))}>{settings_default()}</TextButton>;
}

/** The amount that a quota comes to, after the hint. */
function useQuotaHint({ entry, text }: Props): string | undefined {
  const format = useMoney();
  const hint = hintOf(entry.key);
  const quota = Number(text);
  if (entry.control !== 'quota' || text.trim() === '' || !Number.isSafeInteger(quota)) return hint;
  const money = formatQuota(quota, { ...format, inCurrency: true }, 2);
  return [quota_equals({ units: formatUnits(quota), money }), hint].filter(Boolean).join(' · ');
}

/** One option as its control. */
export function OptionField(props: Props) {
  const { entry, row, text, error, set } = props;
  const label = labelOf(entry.key);
  const hint = useQuotaHint(props);
  if (entry.control === 'switch') {
    return (
      <>
        <SwitchField label={label} hint={hint} checked={text === 'true'} onChange={(checked) => set(String(checked))} />
        {error && (
          <p role="alert" className="text-bad text-xs">
            {error}
          </p>
        )}
      </>
    );
  }
  if (entry.control === 'secret') return <SecretField {...props} label={label} hint={hint} />;
  if (entry.control === 'chats') return <ChatsField label={label} hint={hint} text={text} error={error} set={set} />;
  if (entry.control === 'json') {
    return (
      <>
        <JsonField label={label} hint={hint} value={text} error={error} onChange={set} />
        <DefaultButton {...props} />
      </>
    );
  }
  const aside = <DefaultButton {...props} />;
  return (
    <Field label={label} hint={hint} error={error} aside={row.default === undefined ? undefined : aside}>
      {(field) => <Input {...props} field={field} />}
    </Field>
  );
}
