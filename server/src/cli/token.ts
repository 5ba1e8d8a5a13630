import { listTokens, switchToken } from '../identity/index.ts';
import type { CliWorld, Outcome } from './outcome.ts';
import { listed, lookedAt, wholeNumber, written } from './rows.ts';
import type { Choice } from './session.ts';

/** API tokens, without their keys. */
export function listTokensCommand(world: CliWorld, { user, limit }: Choice): Promise<Outcome> {
  return lookedAt(world, async (db) => listed(await listTokens(db, { username: user, limit: wholeNumber(limit, '--limit') })));
}

export function switchTokenCommand(world: CliWorld, id: string, isOn: boolean): Promise<Outcome> {
  const tokenId = wholeNumber(id, 'id');
  return written(world, async (parts) => {
    const found = await switchToken(parts, tokenId, isOn);
    if (!found) return { exitCode: 1, text: `There is no token ${tokenId}.`, json: { error: 'token not found' } };
    const text = `Token ${tokenId} is ${isOn ? 'enabled' : 'disabled'}. Running servers know within a second.`;
    return { exitCode: 0, text, json: { id: tokenId, enabled: isOn } };
  });
}
