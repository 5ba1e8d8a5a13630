import { useId } from 'react';
import { CopyButton } from './CopyButton.tsx';

/** A text to be taken along: its name, itself, and a button that copies it. */
export function CopyLine({ label, value, copyLabel }: { label: string; value: string; copyLabel: string }) {
  const id = useId();
  return (
    <div className="flex items-center gap-1">
      <label htmlFor={id} className="w-20 shrink-0 text-muted">
        {label}
      </label>
      <input
        id={id}
        className="control font-mono text-xs"
        readOnly
        value={value}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={value} label={copyLabel} size="md" />
    </div>
  );
}
