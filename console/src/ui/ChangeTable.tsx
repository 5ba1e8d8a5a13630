import {
  history_entry,
  history_from,
  history_more,
  history_option,
  history_secret,
  history_to,
} from '../i18n/generated/messages.ts';
import { BillHead } from './BillHead.tsx';

const maxShown = 100;

interface Change {
  option: string;
  /** Of the entry in it; empty: all of the option. */
  name: string;
  from: string;
  to: string;
  /** What it was is not told. */
  secret?: boolean;
}

interface Props {
  label: string;
  diff: readonly Change[];
  /** How many there are in all. */
  changed: number;
}

/** What one save of options changed, value by value. */
export function ChangeTable({ label, diff, changed }: Props) {
  const shown = diff.slice(0, maxShown);
  return (
    <section aria-label={label}>
      <table className="bill bill-start tabular-nums">
        <BillHead heads={[history_option(), history_entry(), history_from(), history_to()]} />
        <tbody>
          {shown.map(({ option, name, from, to, secret }) => (
            <tr key={`${option} ${name}`}>
              <td className="break-all">{option}</td>
              <td className="break-all">{name || '–'}</td>
              {secret ? (
                <td colSpan={2}>{history_secret()}</td>
              ) : (
                <>
                  <td className="whitespace-pre-wrap break-all text-bad">{from || '–'}</td>
                  <td className="whitespace-pre-wrap break-all text-ok">{to || '–'}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {changed > shown.length && <p className="text-muted">{history_more({ count: changed - shown.length })}</p>}
    </section>
  );
}
