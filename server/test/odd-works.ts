import type { Work, WorkRegistry } from '../src/storage/database.ts';

// biome-ignore lint/correctness/useYield: it ends before its first statement
function* die(): Work<void> {
  process.exit(3);
}

function* remember(key: string): Work<void> {
  yield { sql: 'INSERT INTO option (key, value) VALUES (?, ?)', parameters: [key, '1'] };
}

function* fill(bytes: number): Work<void> {
  yield { sql: 'INSERT INTO option (key, value) VALUES (?, ?)', parameters: ['big', 'x'.repeat(bytes)] };
}

/** A work that ends the thread it runs in, one that needs space, and one that is nothing special. */
export const works: WorkRegistry = { die, remember, fill };
