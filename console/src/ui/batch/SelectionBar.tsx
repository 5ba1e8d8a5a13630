import type { ReactNode } from 'react';
import { action_clear_selection, batch_mode, batch_selected } from '../../i18n/generated/messages.ts';
import { Button } from '../Button.tsx';

interface Props {
  count: number;
  clear(): void;
  /** Buttons. */
  children: ReactNode;
}

/** What is done with the selected rows; stays in sight below the list. */
export function SelectionBar({ count, clear, children }: Props) {
  return (
    <section
      aria-label={batch_mode()}
      className="sticky bottom-2 z-10 mt-2 flex flex-wrap items-center gap-2 rounded-lg bg-raised px-3 py-2 shadow-overlay"
    >
      <span aria-live="polite" className="mr-auto font-medium tabular-nums">
        {batch_selected({ count })}
      </span>
      <Button tone="quiet" disabled={count === 0} onClick={clear}>
        {action_clear_selection()}
      </Button>
      {children}
    </section>
  );
}
