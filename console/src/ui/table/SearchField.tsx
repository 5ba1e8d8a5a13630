import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

interface Props {
  label: string;
  value: string;
  onCommit(value: string): void;
  /** For a number from 1: nothing else can be typed, so that nothing looks set that is not. */
  digits?: boolean;
  className?: string;
  maxLength?: number;
}

const settleMs = 350;

/** A filter that takes effect when typing pauses, or at once with Enter. Shows what the URL says. */
export function SearchField({ label, value, onCommit, digits = false, className, maxLength = 64 }: Props) {
  const [draft, setDraft] = useState(value);
  const [known, setKnown] = useState(value);
  /** What the URL says, or will say when it has followed: until then more may have been typed, which stays. */
  const [sent, setSent] = useState(value);
  const send = (text: string) => {
    setSent(text);
    onCommit(text);
  };
  const latest = useRef(send);
  latest.current = send;
  if (known !== value) {
    setKnown(value);
    setSent(value);
    if (sent !== value) setDraft(value);
  }
  useEffect(() => {
    if (draft.trim() === sent) return;
    const timer = setTimeout(() => latest.current(draft.trim()), settleMs);
    return () => clearTimeout(timer);
  }, [draft, sent]);
  return (
    <div className={`relative ${className ?? 'w-44 max-sm:w-full'}`}>
      <Search size={14} aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted" />
      <input
        type="search"
        className="control pl-8"
        aria-label={label}
        placeholder={label}
        inputMode={digits ? 'numeric' : undefined}
        maxLength={digits ? 15 : maxLength}
        value={draft}
        onChange={({ currentTarget: { value: typed } }) => setDraft(digits ? typed.replace(/^\D*0+|\D/g, '') : typed)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && draft.trim() !== value) send(draft.trim());
        }}
      />
    </div>
  );
}
