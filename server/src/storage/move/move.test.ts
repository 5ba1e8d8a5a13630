import { expect, inject, test } from 'vitest';
import { newDirectory } from '../../../test/template.ts';
import { DatabaseError } from '../errors.ts';
import { moveDatabase } from './move.ts';
import { openSource, openTarget } from './open.ts';

test('a move that does not learn whether it was committed says what to do', async () => {
  const from = await openSource({ dataDir: newDirectory(inject('templateDir')) }, { isAlone: true });
  const to = await openTarget({ dataDir: newDirectory(undefined) });
  const lost = async () => {
    throw new DatabaseError('unavailable', '', 'Connection terminated unexpectedly');
  };
  const moved = moveDatabase({ from, to: { ...to, commit: lost }, progress: () => undefined, prove: async () => undefined });
  await expect(moved).rejects.toMatchObject({
    kind: 'unknown',
    message: expect.stringMatching(/Connection terminated unexpectedly.*Run the same move again/),
  });
  await to.close();
  await from.close();
});

test('books that are refused are refused before a row is copied', async () => {
  const from = await openSource({ dataDir: newDirectory(inject('templateDir')) }, { isAlone: true });
  const to = await openTarget({ dataDir: newDirectory(undefined) });
  const copied: string[] = [];
  const insert = async () => void copied.push('rows');
  const prove = () => Promise.reject(new Error('does not add up'));
  const moved = moveDatabase({ from, to: { ...to, insert }, progress: () => undefined, prove });
  await expect(moved).rejects.toThrow('does not add up');
  expect(copied).toEqual([]);
  await to.close();
  await from.close();
});
