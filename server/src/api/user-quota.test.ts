import { errors, role } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { proveLedger } from '../billing/index.ts';

const unit = 500_000;
const quota_reason = 'counted anew';

onEachEngine((_name, open) => {
  const start = async () => {
    const kit = await createApiKit(await open());
    const [admin, alice] = [await kit.user('admin', role.admin), await kit.user('alice')];
    const edit = async (as: typeof admin, body: object) => (await kit.call({ method: 'PUT', path: '/api/user/', body, as })).json;
    const self = async (as: typeof admin) => (await kit.call({ path: '/api/user/self', as })).json.data;
    return { kit, admin, alice, edit, self };
  };

  test('a quota is booked as the difference, with its log row, and only when it differs', async () => {
    const { kit, admin, alice, edit } = await start();
    for (const quota of [unit, unit, unit / 2]) await edit(admin, { id: alice.id, quota });
    const rows = await kit.db.read.selectFrom('transfer').selectAll().where('kind', '=', 'adjust').orderBy('id').execute();
    expect(rows.map((row) => [row.from_account, row.amount, row.actor_id])).toEqual([
      ['adjust', unit, admin.id],
      [`user:${alice.id}`, unit / 2, admin.id],
    ]);
    const logs = (await kit.call({ path: '/api/log/self?type=3', as: alice })).json.data.items;
    expect(logs.map((row: { content: string }) => row.content)).toEqual([
      '管理员将用户额度从 ＄1.000000 额度修改为 ＄0.500000 额度',
      '管理员将用户额度从 ＄0.000000 额度修改为 ＄1.000000 额度',
    ]);
  });

  test('what is held stands beside the quota that is free', async () => {
    const { kit, admin, alice, edit, self } = await start();
    await edit(admin, { id: alice.id, quota: unit, quota_reason });
    const held = { available: unit - 700, held: 700 };
    await kit.db.transaction((tx) => tx.query.updateTable('wallet').set(held).where('user_id', '=', alice.id).execute());
    expect(await self(alice)).toMatchObject({ quota: unit - 700, quota_held: 700 });
  });

  test('a reason stands in the row that the user sees, in the audit log and with the movement; without a change, nowhere', async () => {
    const { kit, admin, alice, edit } = await start();
    expect((await edit(admin, { id: alice.id, quota: unit, quota_reason: '  补偿 11 月的故障 ' })).success).toBe(true);
    await edit(admin, { id: alice.id, quota: unit, quota_reason: 'nothing changes' });
    expect((await edit(admin, { id: alice.id, quota: 0, quota_reason: 'x'.repeat(201) })).success).toBe(false);
    const logs = (await kit.call({ path: '/api/log/self?type=3', as: alice })).json.data.items;
    expect(logs.map((row: { content: string }) => row.content)).toEqual([
      '管理员将用户额度从 ＄0.000000 额度修改为 ＄1.000000 额度，原因：补偿 11 月的故障',
    ]);
    const audits = await kit.db.read.selectFrom('audit').select('detail').where('action', '=', 'user.update').execute();
    expect(audits.map(({ detail }) => JSON.parse(String(detail)))).toEqual([
      { quota: { from: 0, to: unit, reason: '补偿 11 月的故障' } },
    ]);
    const moved = await kit.db.read.selectFrom('transfer').select('note').where('kind', '=', 'adjust').execute();
    expect(moved).toEqual([{ note: '补偿 11 月的故障' }]);
  });

  test('who says what they saw says why, or nothing is changed; a bare figure needs no reason', async () => {
    const { admin, alice, edit, self } = await start();
    const { success, message } = await edit(admin, { id: alice.id, group: 'vip', quota: unit, seen_quota: 0, quota_reason: ' ' });
    expect([success, message]).toEqual([false, errors.quota_reason_missing.zh]);
    expect(await self(alice)).toMatchObject({ quota: 0, group: 'default' });
    expect((await edit(admin, { id: alice.id, quota: 0, seen_quota: 0 })).success).toBe(true);
    expect((await edit(admin, { id: alice.id, quota: unit })).success).toBe(true);
    expect((await self(alice)).quota).toBe(unit);
  });

  test('a quota that says what its editor saw is booked as that difference, never below nothing', async () => {
    const { kit, admin, alice, edit, self } = await start();
    const quotaAfter = async (body: object) => {
      expect((await edit(admin, { id: alice.id, ...body })).success).toBe(true);
      return (await self(alice)).quota;
    };
    // A payment of 100 came while the drawer showed 0, and then 2 were spent while it showed 105.
    await quotaAfter({ quota: 100 * unit });
    expect(await quotaAfter({ quota: 5 * unit, seen_quota: 0, quota_reason })).toBe(105 * unit);
    await quotaAfter({ quota: 103 * unit });
    expect(await quotaAfter({ quota: 115 * unit, seen_quota: 105 * unit, quota_reason })).toBe(113 * unit);
    expect(await quotaAfter({ quota: 0, seen_quota: 200 * unit, quota_reason })).toBe(0);
    const [newest] = (await kit.call({ path: '/api/log/self?type=3', as: alice })).json.data.items;
    expect(newest.content).toBe('管理员将用户额度从 ＄113.000000 额度修改为 ＄0.000000 额度，原因：counted anew');
    expect((await proveLedger(kit)).ok).toBe(true);
  });

  test('the same edit sent again, at once or after a payment, is booked once; a later one of the same figures is another', async () => {
    const { kit, admin, alice, edit, self } = await start();
    const shown = async () => (await kit.call({ path: `/api/user/${alice.id}`, as: admin })).json.data;
    const first = await shown();
    const change = {
      id: alice.id,
      quota: first.quota + 5 * unit,
      seen_quota: first.quota,
      seen_version: first.quota_version,
      quota_reason,
    };
    await Promise.all([1, 2, 3].map(async () => expect((await edit(admin, change)).success).toBe(true)));
    expect((await self(alice)).quota).toBe(5 * unit);
    await edit(admin, { id: alice.id, quota: 7 * unit });
    await edit(admin, change);
    expect((await self(alice)).quota).toBe(7 * unit);
    await edit(admin, { ...change, quota: 6 * unit });
    expect((await self(alice)).quota).toBe(13 * unit);
    await edit(admin, { id: alice.id, quota: 0 });
    await edit(admin, { ...change, seen_version: (await shown()).quota_version });
    expect((await self(alice)).quota).toBe(5 * unit);
    const logs = (await kit.call({ path: '/api/log/self?type=3', as: alice })).json.data.items;
    expect(logs).toHaveLength(5);
    expect((await proveLedger(kit)).ok).toBe(true);
  });
});
