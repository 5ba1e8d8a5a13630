import { expect } from 'vitest';
import { openBooks } from './books.ts';
import type { Console } from './console-client.ts';
import type { Gateway } from './gateway.ts';
import { eventually } from './wait.ts';

/** Soon nothing is held, every ref was charged once with one log row, and the proof is green. */
export async function booksAgree(gateway: Gateway, root: Console, timeoutMs?: number): Promise<void> {
  const books = await openBooks(gateway);
  try {
    await eventually(async () => expect(await books.openHolds()).toBe(0), timeoutMs);
    for (const [id, { transfers, logRows }] of await books.charges()) expect([id, transfers, logRows]).toEqual([id, 1, 1]);
  } finally {
    await books.close();
  }
  expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
}
