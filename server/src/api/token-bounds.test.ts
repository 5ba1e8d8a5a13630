import { tokenBounds } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { createApiKit, type KitUser } from '../../test/api-kit.ts';
import { type Open, onEachEngine, onPostgres } from '../../test/engines.ts';
import { lockWaits } from '../../test/held-open.ts';
import { createCrypto } from '../platform/crypto.ts';
import type { Database, Transaction } from '../storage/database.ts';

const path = '/api/token/';
const full = '令牌数量已达上限（1000 个），请先删除不再使用的令牌';
const { addressesOfList, models, tokensOfOwner } = tokenBounds;
const addresses = (count: number) => Array.from({ length: count }, (_, at) => `10.${at >> 8}.${at & 255}.1`).join('\n');
const names = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`).join(',');

/** Copies of a token, as an import brings them; `columns`: what is different. */
async function copyToken(db: Database, id: number, columns: readonly object[]): Promise<void> {
  await db.transaction((tx) => copyIn(tx, id, columns));
}

async function copyIn(tx: Transaction, id: number, columns: readonly object[]): Promise<void> {
  const { id: _id, ...row } = await tx.query.selectFrom('token').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const rows = columns.map((each, at) => ({ ...row, key_hmac: `copy ${at}`, ...each }));
  for (let start = 0; start < rows.length; start += 500) {
    await tx.query
      .insertInto('token')
      .values(rows.slice(start, start + 500))
      .execute();
  }
}

/** The database, and how many whole rows of tokens were read of it. */
function counted(db: Database): { db: Database; wholeRows(): number } {
  let wholeRows = 0;
  const read = db.read.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      wholeRows += result.rows.filter((row) => 'model_limits' in row).length;
      return result;
    },
  });
  return { db: { ...db, read }, wholeRows: () => wholeRows };
}

async function scene(open: Open) {
  const { db, wholeRows } = counted(await open());
  const kit = await createApiKit(db);
  const alice = await kit.user('alice');
  const create = async (fields: object, as: KitUser = alice) =>
    (await kit.call({ method: 'POST', path, body: { name: 'work', ...fields }, as })).json.message;
  const put = async (id: number, fields: object) =>
    (await kit.call({ method: 'PUT', path, body: { id, name: 'work', ...fields }, as: alice })).json.message;
  const newest = async () => (await kit.call({ path, as: alice })).json.data[0];
  return { kit, alice, create, put, newest, wholeRows };
}

onEachEngine((_name, open) => {
  const start = () => scene(open);

  test('lists of a token have an end, and what is too long is named', async () => {
    const { create } = await start();
    const most = { allow_ips: addresses(addressesOfList), deny_ips: addresses(addressesOfList), model_limits: names(models) };
    expect(await create(most)).toBe('');
    const tooMany = 'IP 列表最多 256 个地址或网段';
    expect(await create({ allow_ips: addresses(addressesOfList + 1) })).toBe(tooMany);
    expect(await create({ deny_ips: addresses(addressesOfList + 1) })).toBe(tooMany);
    expect(await create({ model_limits: names(models + 1) })).toBe('令牌最多可限定 1000 个模型');
    expect(await create({ model_limits: `${names(models)},m0,m1` })).toBe('');
  });

  test('a list that came with an import may stay as long as it is, and no longer', async () => {
    const { kit, create, put, newest } = await start();
    await create({});
    const { id } = await newest();
    const long = { allow_ips: addresses(400), model_limits: names(1_200), policy: JSON.stringify({ deny_ips: addresses(300) }) };
    await kit.db.transaction((tx) => tx.query.updateTable('token').set(long).where('id', '=', id).execute());
    const token = await newest();
    expect(await put(id, { ...token, rpm: 5 })).toBe('');
    expect(await newest()).toMatchObject({ rpm: 5, allow_ips: long.allow_ips, deny_ips: addresses(300) });
    expect(await put(id, { allow_ips: addresses(399), deny_ips: addresses(299), model_limits: names(1_199) })).toBe('');
    expect(await put(id, { allow_ips: addresses(400) })).toContain('256');
    expect(await put(id, { deny_ips: addresses(300) })).toContain('256');
    expect(await put(id, { model_limits: names(1_200) })).toContain('1000');
  });

  test('an owner has a thousand tokens at most, also when several are made at once; deleted ones are none', async () => {
    const { kit, alice, create, newest } = await start();
    await create({});
    const { id } = await newest();
    const gone = { deleted_at: 1 };
    await copyToken(
      kit.db,
      id,
      Array.from({ length: tokensOfOwner + 3 }, (_, at) => (at < 5 ? gone : {})),
    );
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({})));
    expect(answers.filter((message) => message === '')).toHaveLength(1);
    expect(answers.filter((message) => message === full)).toHaveLength(7);
    expect(await create({}, await kit.user('bob'))).toBe('');
    await kit.call({ method: 'DELETE', path: `${path}${id}`, as: alice });
    expect([await create({}), await create({})]).toEqual(['', full]);
  });

  test('a search reads names, then keys, and whole rows of what it shows only', async () => {
    const { kit, alice, create, newest, wholeRows } = await start();
    await create({ name: 'the first' });
    const first = await newest();
    await copyToken(
      kit.db,
      first.id,
      Array.from({ length: 130 }, (_, at) => ({ name: `copy ${at}` })),
    );
    const search = async (query: string) => (await kit.call({ path: `/api/token/search?${query}`, as: alice })).json.data;
    const before = wholeRows();
    expect(await search('keyword=FIRST')).toEqual([first]);
    expect(wholeRows() - before).toBe(1);
    await kit.db.transaction((tx) => tx.query.deleteFrom('token').where('id', '!=', first.id).execute());
    for (let made = 0; made < 105; made++) await create({ name: `later ${made}` });
    const present = wholeRows();
    expect(await search(`token=${first.key.slice(4, 40)}`)).toEqual([first]);
    expect(wholeRows() - present).toBe(1);
    const all = await search('keyword=later');
    expect(all).toHaveLength(100);
    expect(all[0].name).toBe('later 104');
    expect(await search('keyword=nothing')).toEqual([]);
    const whole: { name: string; key: string }[] = [...all, ...(await search('keyword=later&p=1'))];
    expect(whole.map(({ name }) => name)).toEqual(Array.from({ length: 105 }, (_, at) => `later ${104 - at}`));
    const withLetter = whole.filter(({ key }) => key.includes('a'));
    const inTens = await Promise.all(Array.from({ length: 11 }, (_, p) => search(`keyword=later&token=a&p=${p}&page_size=10`)));
    expect(inTens.flat()).toEqual(withLetter);
  });

  test('what the keyring keeps is bounded by what its lists take, and a long list is kept to', async () => {
    const { kit, create, newest } = await start();
    await create({});
    const plain = await newest();
    await kit.keyring.lookup(plain.key);
    expect(kit.keyring.lookup(plain.key)).not.toBeInstanceOf(Promise);
    const keys = Array.from({ length: 17 }, (_, at) => `${'k'.repeat(32)}${at}`);
    const crypto = createCrypto(Buffer.alloc(32, 7));
    const lists = { allow_ips: addresses(5_500), policy: JSON.stringify({ deny_ips: addresses(5_500) }) };
    await copyToken(
      kit.db,
      plain.id,
      keys.map((key) => ({ ...lists, key_hmac: crypto.hmac('token-key', key) })),
    );
    for (const key of keys) {
      const record = await kit.keyring.lookup(key);
      expect(record?.denyIps?.matches('10.21.123.1')).toBe(true);
      expect(kit.keyring.lookup(key)).toBe(record);
    }
    const loaded = kit.keyring.lookup(plain.key);
    expect(loaded).toBeInstanceOf(Promise);
    expect((await loaded)?.tokenId).toBe(plain.id);
    expect(kit.keyring.lookup(keys.at(-1) ?? '')).not.toBeInstanceOf(Promise);
  });
});

onPostgres((_name, open) => {
  test('a token is counted behind one that is being made for the same owner', async () => {
    const { kit, alice, create, newest } = await scene(open);
    await create({});
    const { id } = await newest();
    await copyToken(kit.db, id, Array(tokensOfOwner - 2).fill({}));
    let answer: ReturnType<typeof create> | undefined;
    await kit.db.transaction(async (tx) => {
      await tx.query.updateTable('users').set({ username: 'alice' }).where('id', '=', alice.id).execute();
      await copyIn(tx, id, [{ key_hmac: 'the last one' }]);
      answer = create({});
      await expect.poll(() => lockWaits(kit.db)).toBe(1);
    });
    expect(await answer).toBe(full);
  });
});
