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
