import { createHmac } from 'node:crypto';
import type { Signer, Usage } from '../src/billing/index.ts';

/** Signs receipts as the server does, with a key of its own. */
export const sign: Signer = (text) => createHmac('sha256', 'receipts').update(text).digest('hex');

/** Counts that an upstream gave: `prompt` tokens in, `completion` out, nothing cached. */
export const usageOf = (prompt: number, completion: number): Usage => ({
  ...{ prompt, completion, cached: 0, cacheWrite: 0, reasoning: 0 },
  ...{ source: 'upstream', anomaly: false },
});
