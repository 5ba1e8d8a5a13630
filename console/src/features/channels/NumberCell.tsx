import { useState } from 'react';
import { notify } from '../../ui/notify.ts';

interface Props {
  label: string;
  /** Absent: several values, described by the placeholder. */
  value: number | undefined;
  placeholder?: string;
  parse(text: string): number | undefined;
  /** Said when what was typed is refused. */
  fault: () => string;
  onCommit(value: number): void;
}

/** A number that is edited where it stands: Enter or leaving saves, Escape takes back, an empty field changes nothing. */
export function NumberCell({ label, value, placeholder, parse, fault, onCommit }: Props) {
  const [draft, setDraft] = useState<string>();
  const shown = value === undefined ? '' : String(value);
  const commit = () => {
    const text = draft?.trim() ?? '';
    setDraft(undefined);
    if (text === '' || text === shown) return;
    const next = parse(text);
    if (next === undefined) notify('bad', fault());
    else if (next !== value) onCommit(next);
  };
  return (
    <input
      aria-label={label}
      className="h-7 w-20 rounded-md border border-transparent bg-transparent px-1.5 text-end tabular-nums placeholder:text-muted placeholder:text-xs hover:border-line-strong focus:border-accent focus:bg-surface max-sm:h-9 max-sm:w-24 max-sm:border-line"
      inputMode="numeric"
      autoComplete="off"
      maxLength={8}
      placeholder={placeholder}
      value={draft ?? shown}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') setDraft(undefined);
      }}
    />
  );
}
