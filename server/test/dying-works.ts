import type { Work, WorkRegistry } from '../src/storage/database.ts';

// biome-ignore lint/correctness/useYield: it ends before its first statement
function* die(): Work<void> {
  process.exit(3);
}

function* remember(key: string): Work<void> {
  yield { sql: 'INSERT INTO option (key, value) VALUES (?, ?)', parameters: [key, '1'] };
}

/** Works that end the thread they run in, and one that does something. */
export const works: WorkRegistry = { die, remember };
