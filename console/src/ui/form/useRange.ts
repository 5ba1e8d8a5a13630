import { useState } from 'react';
import { nowSeconds } from '../../lib/time.ts';

export interface TimeRange {
  /** Unix seconds. */
  from: number;
  to: number;
}

/** The range of the URL; what it leaves open is the standard one, as of when the page was opened or renewed. */
export function useRange(search: Partial<TimeRange>, standardAt: (nowSeconds: number) => TimeRange) {
  const [standard, setStandard] = useState(() => standardAt(nowSeconds()));
  const range = { from: search.from ?? standard.from, to: search.to ?? standard.to };
  return { range, renew: () => setStandard(standardAt(nowSeconds())) };
}
