import type { ReactNode } from 'react';

/** One number of several, inside a `dl`. */
export function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0 rounded-md bg-sunken px-3 py-2">
      <dt className="text-muted text-xs">{label}</dt>
      <dd className="font-semibold tabular-nums">{children}</dd>
    </div>
  );
}
