import { channelStatus, logType, tokenStatus } from '@tollgate/contract';
import { transfer } from '../../server/src/billing/index.ts';
import { commandLineManager, type KeyRecord } from '../../server/src/identity/index.ts';
import { nowSeconds } from '../../server/src/platform/clock.ts';
import { rebuildAbilities } from '../../server/src/routing/abilities.ts';
import { formatLogQuota } from '../../server/src/settings/index.ts';
import { insertSystemLog } from '../../server/src/usage/index.ts';
import { expiryOf, type SampleToken, type SampleUser, tokens, users } from './plan.ts';
import type { DemoServices } from './services.ts';
import { channels, options, type SampleChannel } from './site.ts';

/** Options and channels: what must stand before the first call. */
export async function createSite(services: DemoServices, upstreamUrl: string): Promise<void> {
  const changes = Object.entries(options).map(([key, value]) => ({
    key,
    value: typeof value === 'object' ? JSON.stringify(value) : value,
  }));
  await services.settings.save(changes);
  for (const [index, sample] of channels.entries()) {
    const { end: _end, responseMs: _responseMs, balance: _balance, ...input } = sample;
    await services.channels.create({ ...input, key: `demo-upstream-key-${index + 1}`, base_url: upstreamUrl });
  }
}

async function userNamed({ db }: DemoServices, username: string) {
  return db.read.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirstOrThrow();
}

/** Registers a user as the sign-up page does, gives it its place, and makes its tokens. */
export async function join(services: DemoServices, user: SampleUser, password: string): Promise<void> {
  const { username, invitedBy, group: group_name, displayName: display_name } = user;
  const aff_code = invitedBy === undefined ? '' : (await userNamed(services, invitedBy)).aff_code;
  const input = { username, password, aff_code, email: '', verification_code: '' };
  await services.accounts.register(input, commandLineManager.caller);
  const place = { group_name, display_name, ...(user.role === undefined ? {} : { role: user.role }) };
  await services.db.transaction((tx) => tx.query.updateTable('users').set(place).where('username', '=', username).execute());
}

/** Makes the tokens of one owner. `now` is the demo's now, which expiry is counted from. */
export async function createTokens(services: DemoServices, username: string, now: number): Promise<void> {
  const { id, group_name: group } = await userNamed(services, username);
  for (const sample of tokens.filter((token) => token.owner === username)) {
    const { owner: _owner, expiresInDays: _days, end: _end, traffic: _traffic, usedBetween: _used, ...input } = sample;
    const actor = { id, username, ip: '' };
    await services.tokens.create({ id, group }, { ...input, expired_time: expiryOf(sample, now) }, actor);
  }
}

export interface OwnedToken {
  readonly sample: SampleToken;
  readonly owner: { readonly id: number; readonly group: string };
  readonly id: number;
  readonly remainQuota: number;
  /** With its `sk-`. */
  readonly key: string;
}

/** A token of the plan as it stands now. */
export async function ownedToken(services: DemoServices, sample: SampleToken): Promise<OwnedToken> {
  const { id: userId, group_name: group } = await userNamed(services, sample.owner);
  const owner = { id: userId, group };
  const [token] = await services.tokens.search(owner, { keyword: sample.name, token: '', status: 0, p: 0, page_size: 1 });
  if (token === undefined) throw new Error(`there is no token ${sample.name}`);
  return { sample, owner, id: token.id, remainQuota: token.remain_quota, key: `sk-${token.key}` };
}

/** The tokens of one owner as the relay knows them. */
export async function keysOf(services: DemoServices, username: string): Promise<[string, KeyRecord][]> {
  const keys: [string, KeyRecord][] = [];
  for (const sample of tokens.filter((token) => token.owner === username)) {
    const record = await services.keyring.lookup((await ownedToken(services, sample)).key);
    if (record !== undefined) keys.push([sample.name, record]);
  }
  return keys;
}

/** What an administrator does who raises a balance: one transfer and one line in the log. */
export async function grant(services: DemoServices, username: string, quota: number): Promise<void> {
  const { db, clock, settings } = services;
  const { id: userId } = await userNamed(services, username);
  const root = await userNamed(services, 'root');
  const now = nowSeconds(clock);
  await db.transaction(async (tx) => {
    const wallet = await tx.query.selectFrom('wallet').select('available').where('user_id', '=', userId).executeTakeFirst();
    const before = wallet?.available ?? 0;
    const common = { from: 'grant', to: `user:${userId}`, amount: quota, kind: 'grant', userId, actorId: root.id, now } as const;
    await tx.perform(transfer({ ...common, ref: `demo:${userId}:${now}`, note: 'demo' }));
    const [from, to] = [before, before + quota].map((amount) => formatLogQuota(amount, settings.current()));
    const content = `管理员将用户额度从 ${from}修改为 ${to}`;
    await insertSystemLog(tx, { type: logType.admin, userId, username, now, content });
  });
}

/** The states that tokens, channels and users have at the end of the history. */
export async function finish(services: DemoServices, now: number): Promise<void> {
  services.travelTo(now);
  for (const sample of tokens) {
    const { owner, id, key } = await ownedToken(services, sample);
    if (sample.end === 'disabled')
      await services.tokens.setStatus(owner, id, tokenStatus.disabled, { id: owner.id, username: sample.owner, ip: '' });
    const record = await services.keyring.lookup(key);
    if (sample.end === 'expired' && record !== undefined) await services.keyring.markExpired(record);
  }
  for (const sample of channels) await finishChannel(services, sample, now);
  for (const { username, status } of users) {
    if (status === undefined) continue;
    await services.db.transaction((tx) =>
      tx.query.updateTable('users').set({ status }).where('username', '=', username).execute(),
    );
  }
}

/** Test results, and why a channel is switched off. */
async function finishChannel({ db }: DemoServices, sample: SampleChannel, now: number): Promise<void> {
  const { name, end: status = channelStatus.enabled, responseMs, balance } = sample;
  const reason = { status_reason: 'status_code=401, Incorrect API key provided', status_time: now - 93_000 };
  const other_info = status === channelStatus.autoDisabled ? JSON.stringify(reason) : '';
  const tested = {
    test_time: now - 5_400,
    response_time_ms: responseMs,
    balance,
    balance_updated_at: balance > 0 ? now - 7_200 : 0,
  };
  await db.transaction(async (tx) => {
    const set = { ...tested, status, other_info };
    const row = await tx.query.updateTable('channel').set(set).where('name', '=', name).returningAll().executeTakeFirstOrThrow();
    await rebuildAbilities(tx, row);
  });
}
