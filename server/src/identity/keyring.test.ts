import { LRUCache } from 'lru-cache';
import { describe, expect, test, vi } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { createToken, tokenPath } from '../../test/token-kit.ts';

onEachEngine((_name, open) => {
  describe('the keyring', () => {
    test('answers at once when it knows a key, and forgets it with the change that its write recorded', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const token = await createToken(kit, alice, {
        allow_ips: '10.0.0.0/8',
        model_limits_enabled: true,
        model_limits: 'gpt-4o',
      });
      const record = await kit.keyring.lookup(`sk-${token.key}`);
      expect(record).toMatchObject({
        tokenId: token.id,
        tokenName: 'work',
        status: 1,
        unlimitedQuota: false,
        user: { id: alice.id, role: 1, group: 'default' },
      });
      expect(record?.allowIps?.matches('10.9.9.9')).toBe(true);
      expect(record?.modelLimits).toEqual(new Set(['gpt-4o']));
      expect(kit.keyring.lookup(token.key)).toBe(record);

      const changes = await kit.db.read.selectFrom('change').select(['kind', 'key']).orderBy('seq', 'desc').execute();
      expect(changes[0]).toEqual({ kind: 'token', key: String(token.id) });
      await kit.call({ method: 'DELETE', path: `/api/token/${token.id}`, as: alice });
      kit.keyring.invalidate([{ kind: 'token', key: String(token.id) }]);
      expect(await kit.keyring.lookup(token.key)).toBeUndefined();
    });

    test('a user change replaces all records of that user and of nobody else', async () => {
      const kit = await createApiKit(await open());
      const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
      const [hers, his] = [await createToken(kit, alice), await createToken(kit, bob)];
      const [hersBefore, hisBefore] = [await kit.keyring.lookup(hers.key), await kit.keyring.lookup(his.key)];
      await kit.db.transaction((tx) => tx.query.updateTable('users').set({ status: 2 }).where('id', '=', alice.id).execute());
      expect(kit.keyring.lookup(hers.key)).toBe(hersBefore);
      kit.keyring.invalidate([{ kind: 'user', key: String(alice.id) }]);
      expect((await kit.keyring.lookup(hers.key))?.user.status).toBe(2);
      expect(kit.keyring.lookup(his.key)).toBe(hisBefore);
    });

    test('of many changes that come together the records are looked through once', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const token = await createToken(kit, alice);
      await kit.keyring.lookup(token.key);
      const looks = vi.spyOn(LRUCache.prototype, 'entries');
      kit.keyring.invalidate(Array.from({ length: 1_000 }, (_, index) => ({ kind: 'user', key: String(index + 100) })));
      expect(looks).toHaveBeenCalledTimes(1);
      looks.mockRestore();
      expect(kit.keyring.lookup(token.key)).not.toBeInstanceOf(Promise);
    });

    test('an unknown key costs one look, what cannot be a key costs none', async () => {
      const kit = await createApiKit(await open());
      const unknown = 'A'.repeat(48);
      expect(await kit.keyring.lookup(unknown)).toBeUndefined();
      expect(kit.keyring.lookup(unknown)).not.toBeInstanceOf(Promise);
      for (const text of ['', 'sk-', 'sk-short', `${unknown}!`, 'x'.repeat(500)]) {
        expect(kit.keyring.lookup(text)).toBeUndefined();
      }
    });

    test('a token met after its expiry is stored as expired, a valid one is not', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const [old, fresh] = [await createToken(kit, alice, { expired_time: 5 }), await createToken(kit, alice)];
      await kit.keyring.markExpired({ tokenId: old.id, expiredAt: 5 });
      await kit.keyring.markExpired({ tokenId: fresh.id, expiredAt: -1 });
      const rows = (await kit.call({ path: tokenPath, as: alice })).json.data;
      expect(rows.map((row: { status: number }) => row.status)).toEqual([1, 3]);
    });

    test('a clock that is set ahead for a while stores no token as expired: what it refuses is open again when it is set right', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const expiredAt = kit.clock.nowMs() / 1000 + 86_400;
      const { id: tokenId, key } = await createToken(kit, alice, { expired_time: expiredAt });
      const statusOf = async () => {
        await kit.keyring.markExpired({ tokenId, expiredAt });
        kit.keyring.invalidate([{ kind: 'token', key: String(tokenId) }]);
        return (await kit.keyring.lookup(key))?.status;
      };
      kit.clock.skewMs(30 * 86_400_000);
      expect(await statusOf()).toBe(1);
      kit.clock.skewMs(-30 * 86_400_000);
      expect(await statusOf()).toBe(1);
      kit.clock.advanceMs(2 * 86_400_000);
      expect(await statusOf()).toBe(3);
    });
  });
});
