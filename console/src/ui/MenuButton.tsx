import { type ReactNode, useState } from 'react';
import { type MenuItem, openMenus } from './overlays.ts';

interface Props {
  label: string;
  /** Built when the menu opens, so that a closed menu costs nothing. */
  items: () => readonly MenuItem[];
  className?: string;
  /** No tooltip, for buttons whose text says it all. */
  plain?: boolean;
  children: ReactNode;
}

/** A button that opens the application's one menu. */
export function MenuButton({ label, items, className, plain, children }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <button
      type="button"
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={open}
      data-tip={plain ? undefined : label}
      className={
        className ??
        'grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-grey-tint hover:text-fg max-sm:size-10'
      }
      onClick={(event) => {
        setOpen(true);
        openMenus.set({ anchor: event.currentTarget, items: items(), onClose: () => setOpen(false) });
      }}
    >
      {children}
    </button>
  );
}
