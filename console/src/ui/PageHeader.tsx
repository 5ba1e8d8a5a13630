import type { ReactNode } from 'react';
import { useTitle } from './useTitle.ts';

/** The first line of a console page: its name, what belongs beside it, its actions. */
export function PageHeader({ title, aside, children }: { title: string; aside?: ReactNode; children?: ReactNode }) {
  useTitle(title);
  return (
    <div className="mb-2 flex min-h-8 flex-wrap items-center gap-2">
      <h1 className="mr-1 text-lg">{title}</h1>
      {aside}
      {children && <div className="ml-auto flex flex-wrap items-center gap-2">{children}</div>}
    </div>
  );
}
