import { expect, test } from 'vitest';
import { createApiKit, type KitUser, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

onEachEngine((_name, open) => {
  test('only a hash of the cookie is stored, and logging out ends it', async () => {
    const kit = await createApiKit(await open());
    const alice = await kit.user('alice');
    const rows = await kit.db.read.selectFrom('session').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(alice.cookie.split('=')[1]);
    expect((await kit.call({ path: '/api/user/logout', as: alice })).json.success).toBe(true);
    expect((await kit.call({ path: '/api/user/self', as: alice })).status).toBe(401);
  });

  test('a session ends after its idle and its absolute life, shorter ones for administrators', async () => {
    const kit = await createApiKit(await open());
    const [alice, admin] = [await kit.user('alice'), await kit.user('admin', 10)];
    const hours = (count: number) => kit.clock.advanceMs(count * 3_600_000);
    hours(13);
    expect((await kit.call({ path: '/api/user/self', as: alice })).status).toBe(200);
    expect((await kit.call({ path: '/api/user/self', as: admin })).status).toBe(401);
    for (let day = 0; day < 30; day++) {
      hours(24);
      await kit.call({ path: '/api/user/self', as: alice });
    }
    expect((await kit.call({ path: '/api/user/self', as: alice })).status).toBe(401);
  });

  test('a session of a clock that ran a month ahead lives as long as one that is opened once it was set back', async () => {
    const kit = await createApiKit(await open());
    const status = async (as: KitUser) => (await kit.call({ path: '/api/user/self', as })).status;
    kit.clock.skewMs(30 * 86_400_000);
    const admin = await kit.user('admin', 10);
    kit.clock.skewMs(-30 * 86_400_000);
    expect(await status(admin)).toBe(200);
    kit.clock.advanceMs(11 * 3_600_000);
    expect(await status(admin)).toBe(200);
    kit.clock.advanceMs(12 * 3_600_000);
    expect(await status(admin)).toBe(401);
  });

  test('the eleventh session ends the first', async () => {
    const kit = await createApiKit(await open());
    const first = await kit.user('alice');
    const later = [];
    for (let round = 0; round < 10; round++) {
      kit.clock.advanceMs(1000);
      later.push(await signIn(kit.call, 'alice', kitPassword));
    }
    expect((await kit.call({ path: '/api/user/self', as: first })).status).toBe(401);
    for (const session of later) expect((await kit.call({ path: '/api/user/self', as: session })).status).toBe(200);
  });

  test('no sign-in ends itself, however many there are within one second', async () => {
    const kit = await createApiKit(await open());
    await kit.user('alice');
    for (let round = 0; round < 25; round++) {
      const session = await signIn(kit.call, 'alice', kitPassword);
      expect([round, (await kit.call({ path: '/api/user/self', as: session })).status]).toEqual([round, 200]);
    }
    expect(await kit.db.read.selectFrom('session').select('id_hash').execute()).toHaveLength(10);
  });

  test('a ban counts with the next request', async () => {
    const kit = await createApiKit(await open());
    const alice = await kit.user('alice');
    await kit.db.transaction((tx) => tx.query.updateTable('users').set({ status: 2 }).where('id', '=', alice.id).execute());
    expect((await kit.call({ path: '/api/user/self', as: alice })).json).toEqual({ success: false, message: '用户已被封禁' });
  });
});
