import { setTimeout as delay } from 'node:timers/promises';
import { isRepeatable } from './errors.ts';

const maxAttempts = 4;
const budgetMs = 2000;

/** Repeats what certainly did nothing (lock, deadlock, lost connection before COMMIT) up to 3 times within 2 s, with jitter. */
export async function withRetry<T>(attempt: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      const pauseMs = Math.random() * 25 * 4 ** count;
      const late = performance.now() - startMs + pauseMs > budgetMs;
      if (!isRepeatable(error) || count >= maxAttempts || late) throw error;
      await delay(pauseMs);
    }
  }
}
