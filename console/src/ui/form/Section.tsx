import type { ReactNode } from 'react';

/** A named group of fields. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="mb-5 min-w-0 border-b pb-5 last:mb-0 last:border-0 last:pb-0">
      <legend className="mb-2.5 font-semibold text-base">{title}</legend>
      <div className="flex flex-col gap-3.5">{children}</div>
    </fieldset>
  );
}

/** Two fields in one line, one below the other on phones. */
export function Pair({ children }: { children: ReactNode }) {
  return <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">{children}</div>;
}

/** Fields that belong together inside a section. */
export function Group({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-semibold">{title}</legend>
      {hint && <p className="-mt-1 text-muted text-xs">{hint}</p>}
      {children}
    </fieldset>
  );
}
