import type { ReactNode } from 'react';
import { BillHead } from './BillHead.tsx';

/** Figures in rows that do not change by themselves; scrolls where it is wider than its place. */
export function Bill({ heads, rows }: { heads: readonly string[]; rows: readonly (readonly ReactNode[])[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div tabIndex={0} className="overflow-x-auto">
      <table className="bill tabular-nums">
        <BillHead heads={heads} />
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows come and go together
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={heads[at]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
