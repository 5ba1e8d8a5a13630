import { useState } from 'react';
import { formatTime, midnight, parseTime } from '../../lib/time.ts';
import { DateTimeInput } from './DateTimeInput.tsx';

interface Props {
  label: string;
  /** Absent: this end of the range is open. */
  seconds: number | undefined;
  onChange(seconds: number | undefined): void;
}

/** One end of an optional range; takes effect when it is a whole date, or is left empty. */
export function TimeFilter({ label, seconds, onChange }: Props) {
  const [draft, setDraft] = useState<string>();
  const shown = seconds === undefined ? '' : formatTime(seconds);
  const faulty = draft !== undefined && draft !== '' && parseTime(draft) === undefined;
  const settle = (text: string) => {
    setDraft(undefined);
    onChange(text === '' ? undefined : parseTime(text));
  };
  return (
    <div className="w-46 max-sm:w-full">
      <DateTimeInput
        control={{ 'aria-label': label, 'aria-invalid': faulty ? true : undefined }}
        value={draft ?? shown}
        placeholder={label}
        onChange={(text) => {
          if (text.length === 19 && parseTime(text) !== undefined) settle(text);
          else setDraft(text);
        }}
        onBlur={() => {
          if (draft === '' || (draft !== undefined && parseTime(draft) !== undefined)) settle(draft);
          else setDraft(undefined);
        }}
      />
    </div>
  );
}

interface Ends {
  from?: number;
  to?: number;
}

interface ChipsProps<T extends Ends> {
  ranges: readonly { label(): string; of(): T }[];
  /** The range in force. */
  search: Ends;
  disabled?: boolean;
  change(next: T): void;
}

/** Ranges that are one press away; the one in force is pressed. */
export function RangeChips<T extends Ends>({ ranges, search, disabled = false, change }: ChipsProps<T>) {
  return ranges.map(({ label, of }) => {
    const { from, to } = of();
    return (
      <button
        key={label()}
        type="button"
        className="chip"
        disabled={disabled}
        aria-pressed={!disabled && from === search.from && to === search.to}
        onClick={() => change(of())}
      >
        {label()}
      </button>
    );
  });
}

/** So many whole days, the last of them today. */
export const lastDays = (days: number) => ({ from: midnight(1 - days), to: midnight(1) - 1 });
