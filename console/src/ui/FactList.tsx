import type { ReactNode } from 'react';

interface Props {
  /** A line without a value is left out. */
  lines: readonly { label: string; value: ReactNode }[];
}

/** Names and what they stand for, a line each. */
export const FactList = ({ lines }: Props) => (
  <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-6 gap-y-1.5">
    {lines
      .filter(({ value }) => value !== '' && value !== false && value !== undefined)
      .map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 whitespace-pre-wrap break-words tabular-nums">{value}</dd>
        </div>
      ))}
  </dl>
);
