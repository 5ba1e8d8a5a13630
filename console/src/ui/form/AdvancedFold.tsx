import { ChevronRight } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { section_advanced } from '../../i18n/generated/messages.ts';
import { readText, writeText } from '../../lib/storage.ts';

interface Props {
  /** Where this browser remembers that it was opened. */
  storageKey: string;
  /** A field inside has a fault. */
  faulty: boolean;
  children: ReactNode;
}

/**
 * What few need. Stays open for those who opened it. A fault inside opens it, keeps it open, and leaves it open once it is
 * corrected: the field is being typed into.
 */
export function AdvancedFold({ storageKey, faulty, children }: Props) {
  const [open, setOpen] = useState(() => readText(storageKey) === 'open');
  const section = useRef<HTMLElement>(null);
  if (!open && faulty) setOpen(true);
  const toggle = () => {
    writeText(storageKey, open ? '' : 'open');
    setOpen(!open);
    // What was asked for is below the edge otherwise.
    if (!open) requestAnimationFrame(() => section.current?.scrollIntoView({ block: 'start' }));
  };
  return (
    <section ref={section}>
      <h3>
        <button type="button" aria-expanded={open} className="flex h-8 items-center gap-1 text-base" onClick={toggle}>
          <ChevronRight size={16} aria-hidden className={open ? 'rotate-90' : ''} />
          {section_advanced()}
        </button>
      </h3>
      {open && <div className="mt-2.5 flex flex-col gap-5">{children}</div>}
    </section>
  );
}
