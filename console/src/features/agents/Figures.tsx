import type { ReactNode } from 'react';

interface Props {
  label: string;
  /** Below the value, smaller: there it stays when the value comes. */
  more?: ReactNode;
  children: ReactNode;
}

/** One number of a page, inside `Figures`. */
export function Stat({ label, more, children }: Props) {
  return (
    <div className="card min-w-0 px-4 py-3 max-sm:px-3">
      <dt className="text-muted text-xs">{label}</dt>
      <dd className="mt-0.5 flex min-w-0 flex-wrap items-baseline gap-x-2 tabular-nums">
        <span className="font-semibold text-xl max-lg:text-lg">{children}</span>
        {more && <span className="basis-full text-muted text-xs">{more}</span>}
      </dd>
    </div>
  );
}

/** Numbers side by side. */
export function Figures({ children }: { children: ReactNode }) {
  return <dl className="mb-3 grid grid-cols-2 gap-2 md:grid-cols-4">{children}</dl>;
}
