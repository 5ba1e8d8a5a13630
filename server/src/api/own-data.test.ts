import { describe, expect, test } from 'vitest';
import { createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { insertLogs } from '../../test/log-kit.ts';
import { setUpPayments } from '../../test/payment-kit.ts';
import { rollAll, rollupOn } from '../../test/usage-kit.ts';

const path = '/api/user/self/export';
const monthSeconds = 31 * 86_400;

onEachEngine((_name, open) => {
  describe('the own data as a file', () => {
    const scene = async () => {
      const kit = await createApiKit(await open());
      await setUpPayments(kit);
      const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
      const records = async (as: KitUser) => {
        const { text } = await kit.call({ path, as });
        const lines = text.trimEnd().split('\n');
        return {
          text,
          of: Map.groupBy(
            lines.map((line) => JSON.parse(line)),
            ({ record }) => String(record),
          ),
        };
      };
      return { kit, alice, bob, records };
    };

    test('holds account, sign-ins, keys, orders, movements, usage and acts, and nobody else’s', async () => {
      const { kit, alice, bob, records } = await scene();
      for (const as of [alice, bob]) {
        const body = { name: `key of ${as.name}`, remain_quota: 5, expired_time: -1, unlimited_quota: false };
        await kit.call({ method: 'POST', path: '/api/token/', body, as });
        const payment = { amount: 10, payment_method: 'alipay' };
        expect((await kit.call({ method: 'POST', path: '/api/user/pay', body: payment, as })).json.message).toBe('success');
      }
      const { of, text } = await records(alice);
      expect(of.get('profile')).toMatchObject([{ id: alice.id, username: 'alice', setting: {} }]);
      expect(of.get('session')).toMatchObject([{ current: true }]);
      expect(of.get('token')).toMatchObject([{ name: 'key of alice', remain_quota: 5 }]);
      expect(of.get('order')).toMatchObject([{ status: 'pending', money: '73.00' }]);
      expect(of.get('act')?.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['user.export', 'payment.order', 'token.create', 'login']),
      );
      expect(text).not.toContain('bob');
      const [{ key }] = (await kit.call({ path: '/api/token/', as: alice })).json.data;
      expect(key).toHaveLength(48);
      expect(text).not.toContain(key);
      expect(text).not.toMatch(/"(key|password|access_token)"/);
    });

    test('says each month’s use by model and key, also what is not added up yet, and each movement but single charges', async () => {
      const { kit, alice, bob, records } = await scene();
      const now = Math.floor(kit.clock.nowMs() / 1000);
      const row = {
        type: 2,
        user_id: alice.id,
        username: 'alice',
        token_name: 'work',
        model_name: 'm',
        quota: 7,
        prompt_tokens: 2,
      };
      await insertLogs(kit.db, [
        { ...row, created_at: now - 3 * monthSeconds },
        { ...row, created_at: now - 3 * monthSeconds, model_name: 'n' },
        { ...row, created_at: now - monthSeconds },
        { ...row, created_at: now - monthSeconds, user_id: bob.id, username: 'bob' },
      ]);
      await rollAll(rollupOn(kit.db, 'a', 100));
      await insertLogs(kit.db, [
        { ...row, created_at: now },
        { ...row, created_at: now, token_name: 'home' },
      ]);
      const root = await kit.root();
      await kit.call({ method: 'PUT', path: '/api/user/', body: { id: alice.id, username: 'alice', quota: 900 }, as: root });
      const { of } = await records(alice);
      const usage = of
        .get('usage')
        ?.map(({ month, model, token, calls, quota }) => [month, model, token, calls, quota].join(' '));
      const months = [3, 1, 0].map((ago) => new Date((now - ago * monthSeconds) * 1000).toISOString().slice(0, 7));
      expect(usage?.toSorted()).toEqual([
        `${months[0]} m work 1 7`,
        `${months[0]} n work 1 7`,
        `${months[1]} m work 1 7`,
        `${months[2]} m home 1 7`,
        `${months[2]} m work 1 7`,
      ]);
      expect(of.get('movement')).toMatchObject([{ to: `user:${alice.id}`, amount: 900, unit: 'quota' }]);
    });

    test('says the use of a month that has just ended, before any of it is added up', async () => {
      const { kit, records } = await scene();
      const day = new Date(kit.clock.nowMs());
      const next = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
      kit.clock.advanceMs(next + 60_000 - kit.clock.nowMs());
      const carol = await kit.user('carol');
      const row = { type: 2, user_id: carol.id, username: 'carol', model_name: 'm', quota: 7 };
      await insertLogs(kit.db, [{ ...row, created_at: next / 1000 - 60 }]);
      const { of } = await records(carol);
      expect(of.get('usage')).toMatchObject([{ month: day.toISOString().slice(0, 7), model: 'm', calls: 1, quota: 7 }]);
    });

    test('is for the session alone', async () => {
      const { kit, alice } = await scene();
      const token = (await kit.call({ path: '/api/user/token', as: alice })).json.data;
      const headers = { Authorization: `Bearer ${token}`, 'New-Api-User': String(alice.id) };
      expect((await kit.call({ path, headers })).status).toBe(401);
      const answer = await kit.call({ path, as: alice });
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="personal-data-\d{4}-\d\d-\d\d\.ndjson"$/);
    });
  });
});
