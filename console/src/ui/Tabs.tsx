import type { ReactNode } from 'react';

const tabClass =
  '-mb-px inline-flex h-9 shrink-0 items-center border-b-2 border-transparent px-3 text-muted hover:text-fg aria-[current=page]:snap-center aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-fg';

/** On a narrow screen the open one may stand outside of the line. */
const bringIntoLine = (link: HTMLElement | null) => link?.scrollIntoView({ block: 'nearest', inline: 'center' });

/** For the link to a part of a page. The open one is marked also where the address names none. */
export const tabProps = (isOpen: boolean) => ({
  className: tabClass,
  'aria-current': isOpen ? ('page' as const) : undefined,
  ref: isOpen ? bringIntoLine : undefined,
});

/** The line of links between the parts of a page. The links stand on its border, and so are higher than it. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className="mb-3 flex snap-x gap-1 overflow-x-auto overflow-y-hidden border-b">
      {children}
    </nav>
  );
}
