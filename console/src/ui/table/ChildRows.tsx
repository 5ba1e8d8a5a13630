import { type ReactNode, useState } from 'react';
import { table_more } from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';

const atOnce = 100;

interface Props<R> {
  rows: readonly R[];
  draw(row: R): ReactNode;
  /** The place of the button that draws more of them. */
  end(button: ReactNode): ReactNode;
}

/** The rows below the one that stands for them, by the hundred: a tag may have thousands of channels. */
export function ChildRows<R>({ rows, draw, end }: Props<R>) {
  const [count, setCount] = useState(atOnce);
  const left = rows.length - count;
  return (
    <>
      {rows.slice(0, count).map(draw)}
      {left > 0 &&
        end(
          <button type="button" className="chip" onClick={() => setCount(count + atOnce)}>
            {table_more({ count: formatUnits(left) })}
          </button>,
        )}
    </>
  );
}
