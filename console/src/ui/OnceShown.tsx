import { useId } from 'react';
import { CopyButton } from './CopyButton.tsx';

interface Props {
  label: string;
  value: string;
  copyLabel: string;
  /** Why it must be kept now. */
  note: string;
}

/** A secret that is shown only now: selectable, with copy. */
export function OnceShown({ label, value, copyLabel, note }: Props) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      <div className="flex items-center gap-1">
        <input
          id={id}
          className="control font-mono"
          readOnly
          value={value}
          aria-describedby={`${id}-note`}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={value} label={copyLabel} size="md" />
      </div>
      <p id={`${id}-note`} className="mt-1 text-warn text-xs">
        {note}
      </p>
    </div>
  );
}
