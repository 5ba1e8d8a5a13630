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

function* recall(keys: readonly string[]): Work<string[]> {
  const found: string[] = [];
  for (const key of keys) {
    const { rows } = yield { sql: 'SELECT value FROM option WHERE key = ?', parameters: [key] };
    found.push(String(rows[0]?.value));
  }
  return found;
}

let dropped: WeakRef<object> | undefined;

// biome-ignore lint/correctness/useYield: it asks the database nothing
function* drop(): Work<void> {
  dropped = new WeakRef({});
}

// biome-ignore lint/correctness/useYield: as above
function* isGone(): Work<boolean> {
  return dropped?.deref() === undefined;
}

// biome-ignore lint/correctness/useYield: as above
function* stand(ms: number): Work<string> {
  return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * A work that ends the thread it runs in, one that needs space, one that is nothing special, one that only reads, one that
 * leaves garbage behind, with one that asks for it, and one that takes its time.
 */
export const works: WorkRegistry = { die, remember, fill, recall, drop, isGone, stand };
