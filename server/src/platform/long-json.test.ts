import { expect, test } from 'vitest';
import { longJson } from './long-json.ts';

test('a long list becomes the text that it is at once, and others have their turns meanwhile', async () => {
  const rows = Array.from({ length: 25_001 }, (_, id) => (id === 7 ? undefined : { id, name: `user ${id}` }));
  let turns = 0;
  let isOver = false;
  const other = () => {
    turns += 1;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  const answer = { success: true, data: rows, more: undefined, message: '' };
  const text = await longJson(answer);
  isOver = true;
  expect(text).toBe(JSON.stringify(answer));
  expect(turns).toBeGreaterThan(4);
  for (const data of [undefined, [], { a: [] }, 'x', null, rows.slice(0, 5_000)]) {
    const short = { success: true, data };
    expect(await longJson(short)).toBe(JSON.stringify(short));
  }
});
