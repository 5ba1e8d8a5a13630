import { useState } from 'react';
import { formatTime, parseTime } from '../../lib/time.ts';
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
