import { tokenBody } from '@tollgate/contract';
import { commandLine } from '../audit/index.ts';
import { createTokens, listTokens, listUsers, switchToken } from '../identity/index.ts';
import { consoleParts, lookedAt, written } from './database.ts';
import { type CliWorld, noUser, type Outcome, UsageError } from './outcome.ts';
import { limitOf, listed, wholeNumber } from './rows.ts';
import type { Choice } from './session.ts';

/** API tokens, without their keys. */
export function listTokensCommand(world: CliWorld, { user, limit }: Choice): Promise<Outcome> {
  return lookedAt(world, async (db) => listed(await listTokens(db, { username: user, limit: limitOf(limit) })));
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

export interface NewToken {
  readonly user: string;
  readonly name: string;
  /** In quota units; absent = as much as the user has. */
  readonly quota?: string;
  readonly group?: string;
}

/** Makes an API token for a user by the rules of the console; its owner finds it in the console. */
export function createTokenCommand(world: CliWorld, { user: username, name, quota, group = '' }: NewToken): Promise<Outcome> {
  const amount = quota === undefined ? 0 : wholeNumber(quota, '--quota');
  const input = tokenBody.safeParse({ name, remain_quota: amount, unlimited_quota: quota === undefined, group });
  if (!input.success) throw new UsageError(`--name: ${input.error.issues[0]?.message ?? 'no name of a token'}`);
  return written(world, async (parts) => {
    const [owner] = await listUsers(parts.db, { username, limit: 1 });
    if (owner === undefined) return noUser(username);
    const tokens = createTokens(await consoleParts(world, parts));
    const { id, key } = await tokens.create(owner, input.data, commandLine);
    const text = `Token ${id} of ${username}: sk-${key}\nIts owner finds it in the console.`;
    return { exitCode: 0, text, json: { id, username, key: `sk-${key}` } };
  });
}
