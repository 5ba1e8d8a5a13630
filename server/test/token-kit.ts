import { expect } from 'vitest';
import type { ApiKit, KitUser } from './api-kit.ts';

export const tokenPath = '/api/token/';
export const workToken = { name: 'work', remain_quota: 500_000 };

/** A token made as its owner makes one; answers its row. */
export async function createToken(kit: ApiKit, as: KitUser, fields: object = {}) {
  const made = await kit.call({ method: 'POST', path: tokenPath, body: { ...workToken, ...fields }, as });
  expect(made.json).toEqual({ success: true, message: '' });
  return (await kit.call({ path: tokenPath, as })).json.data[0];
}
