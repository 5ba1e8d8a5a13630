import { expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { nowSeconds } from '../platform/clock.ts';
import { createCrypto } from '../platform/crypto.ts';
import { createKeyring, tellEndingKeys, tokenKeyFault } from './index.ts';

const hour = 3_600;

onEachEngine((_name, open) => {
  const furnished = async () => {
    const kit = await createApiKit(await open());
    const alice = await kit.user('alice');
    await kit.call({ method: 'POST', path: '/api/token/', body: { name: 'work', remain_quota: 5 }, as: alice });
    const token = (await kit.call({ path: '/api/token/', as: alice })).json.data[0];
    return { kit, alice, token, rotate: (seconds?: number, as = alice) => rotate(kit, token.id, as, seconds) };
  };
  const rotate = (kit: ApiKit, id: number, as: KitUser, seconds?: number) => {
    const query = seconds === undefined ? '' : `?old_key_seconds=${seconds}`;
    return kit.call({ method: 'POST', path: `/api/token/${id}/rotate${query}`, as });
  };
  /** A node that has asked nothing yet. */
  const opensAnew = async (kit: ApiKit, key: string) => {
    const { clock, db } = kit;
    const keyring = createKeyring({ db, clock, crypto: createCrypto(Buffer.alloc(32, 7)), changes: { notify: () => undefined } });
    return (await keyring.lookup(key)) !== undefined;
  };
  const told = async ({ db }: ApiKit, userId: number) => {
    const rows = await db.read.selectFrom('notification').select('body').where('user_id', '=', userId).orderBy('id').execute();
    return rows.map(({ body }) => JSON.parse(body)).map(({ type, values }) => ({ type, values }));
  };

  test('both keys are the same token until the second at which the old one ends, also where its record is in memory', async () => {
    const { kit, alice, token, rotate } = await furnished();
    const record = await kit.keyring.lookup(token.key);
    const rotated = (await rotate(hour)).json.data;
    const ends = nowSeconds(kit.clock) + hour;
    expect(rotated).toMatchObject({ id: token.id, old_key: { last_four: token.key.slice(-4), ends_time: ends } });
    expect(rotated.key).not.toBe(token.key);
    kit.keyring.invalidate([{ kind: 'token', key: String(token.id) }]);
    const both = [await kit.keyring.lookup(token.key), await kit.keyring.lookup(rotated.key)];
    const { masked: _, endsAt: __, ...same } = record ?? expect.fail();
    expect(both).toMatchObject([
      { ...same, endsAt: ends },
      { ...same, endsAt: undefined },
    ]);
    kit.clock.advanceMs((hour - 1) * 1000);
    expect(await kit.keyring.lookup(token.key)).toMatchObject({ endsAt: ends });
    expect(kit.keyring.lookup(token.key)).not.toBeInstanceOf(Promise);
    kit.clock.advanceMs(1000);
    expect(kit.keyring.lookup(token.key)).toBeUndefined();
    expect([await opensAnew(kit, token.key), await opensAnew(kit, rotated.key)]).toEqual([false, true]);
    expect((await kit.call({ path: `/api/token/${token.id}`, as: alice })).json.data.old_key).toBeNull();
  });

  test('without a grace the old key is dead at once, and so is one that was still working when the key changes again', async () => {
    const { kit, token, rotate } = await furnished();
    const second = (await rotate()).json.data;
    expect(second.old_key).toBeNull();
    expect(await opensAnew(kit, token.key)).toBe(false);
    const third = (await rotate(60)).json.data;
    const fourth = (await rotate(7 * 86_400)).json.data;
    expect(fourth.old_key.last_four).toBe(third.key.slice(-4));
    const keys = [second, third, fourth].map(({ key }) => opensAnew(kit, key));
    expect(await Promise.all(keys)).toEqual([false, true, true]);
  });

  test('the old key is ended early by its owner alone; what is no grace is refused', async () => {
    const { kit, alice, token, rotate } = await furnished();
    for (const seconds of [-1, 604_801, 1.5, Number.NaN]) expect((await rotate(seconds)).json.success).toBe(false);
    expect(await opensAnew(kit, token.key)).toBe(true);
    const bob = await kit.user('bob');
    expect((await rotate(60, bob)).status).toBe(404);
    const rotated = (await rotate(60)).json.data;
    const path = `/api/token/${token.id}/old-key`;
    expect((await kit.call({ method: 'DELETE', path, as: bob })).status).toBe(404);
    expect(await opensAnew(kit, token.key)).toBe(true);
    expect((await kit.call({ method: 'DELETE', path, as: alice })).json.data).toMatchObject({ key: rotated.key, old_key: null });
    expect([await opensAnew(kit, token.key), await opensAnew(kit, rotated.key)]).toEqual([false, true]);
    expect((await kit.call({ method: 'DELETE', path, as: alice })).json.success).toBe(true);
    const rows = await kit.db.read.selectFrom('audit').select(['actor', 'action', 'target']).orderBy('seq').execute();
    const own = rows.filter(({ action }) => action.startsWith('token.'));
    expect(own).toEqual(
      ['token.create', 'token.rotate', 'token.old_key_end'].map((action) => ({
        actor: 'alice',
        action,
        target: `token:${token.id}`,
      })),
    );
    expect(JSON.stringify(rows)).not.toContain(token.key);
  });

  test('an import brings no second token for a key that was replaced here, neither while it works nor after', async () => {
    const { kit, token, rotate } = await furnished();
    const crypto = createCrypto(Buffer.alloc(32, 7));
    const rotated = (await rotate(hour)).json.data;
    const faults = () => Promise.all([token.key, rotated.key].map((key) => tokenKeyFault(kit.db.read, crypto, key)));
    expect(await faults()).toEqual(['taken', 'taken']);
    kit.clock.advanceMs(2 * hour * 1000);
    expect(await faults()).toEqual(['taken', 'taken']);
  });

  test('no old key is promised of a token whose key was lost with its master key', async () => {
    const { kit, alice, token, rotate } = await furnished();
    const lost = createCrypto(Buffer.alloc(32, 8));
    const keyHmac = lost.hmac('token-key', token.key);
    const sealed = { key_hmac: keyHmac, key_sealed: lost.seal(token.key, `token/key/${alice.id}/${keyHmac}`) };
    await kit.db.transaction((tx) => tx.query.updateTable('token').set(sealed).where('id', '=', token.id).execute());
    const rotated = (await rotate(hour)).json.data;
    expect(rotated.old_key).toBeNull();
    expect([await opensAnew(kit, token.key), await opensAnew(kit, rotated.key)]).toEqual([false, true]);
    expect(await told(kit, alice.id)).toMatchObject([{ type: 'token_key_rotated', values: ['work', expect.any(String)] }]);
  });

  test('a token that is switched off or deleted refuses both keys', async () => {
    const { kit, alice, token, rotate } = await furnished();
    const rotated = (await rotate(hour)).json.data;
    await kit.call({ method: 'PUT', path: '/api/token/?status_only=true', body: { id: token.id, status: 2 }, as: alice });
    kit.keyring.invalidate([{ kind: 'token', key: '*' }]);
    for (const { key } of [token, rotated]) expect(await kit.keyring.lookup(key)).toMatchObject({ status: 2 });
    await kit.call({ method: 'DELETE', path: `/api/token/${token.id}`, as: alice });
    expect([await opensAnew(kit, token.key), await opensAnew(kit, rotated.key)]).toEqual([false, false]);
  });

  test('its owner is told that the key was changed, and once more before the old one ends, whatever nodes look', async () => {
    const { kit, alice, token, rotate } = await furnished();
    const look = () => {
      const { db, clock } = kit;
      const node = () => tellEndingKeys({ db, clock, serverAddress: () => '' });
      return Promise.all([node(), node()]);
    };
    await rotate(4 * hour);
    const hint = `…${token.key.slice(-4)}`;
    await look();
    expect(await told(kit, alice.id)).toMatchObject([
      { type: 'token_key_rotated', values: ['work', hint, expect.stringMatching(/UTC$/)] },
    ]);
    kit.clock.advanceMs(3 * hour * 1000);
    await look();
    await look();
    expect((await told(kit, alice.id)).slice(1)).toMatchObject([
      { type: 'token_key_ending', values: ['work', hint, expect.any(String)] },
    ]);
    // Ended early, too short, or none at all: there is nothing left to warn of.
    await rotate(4 * hour);
    await kit.call({ method: 'DELETE', path: `/api/token/${token.id}/old-key`, as: alice });
    await rotate(hour - 1);
    await rotate();
    kit.clock.advanceMs(4 * hour * 1000);
    await look();
    const later = (await told(kit, alice.id)).slice(2);
    expect(later.map(({ type }) => type)).toEqual(Array(3).fill('token_key_rotated'));
    expect(later.at(-1)?.values).toHaveLength(2);
  });
});
