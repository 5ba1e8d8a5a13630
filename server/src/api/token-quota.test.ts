import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const path = '/api/token/';

async function createToken(kit: ApiKit, as: KitUser) {
  await kit.call({ method: 'POST', path, body: { name: 'work', remain_quota: 500_000 }, as });
  return (await kit.call({ path, as })).json.data[0];
}

onEachEngine((_name, open) => {
  test('an edit that says what its editor saw gives back nothing that was spent meanwhile', async () => {
    const kit = await createApiKit(await open());
    const alice = await kit.user('alice');
    const { id } = await createToken(kit, alice);
    const spend = (amount: number) =>
      kit.db.transaction((tx) =>
        tx.query
          .updateTable('token')
          .set((of) => ({ remain_quota: of('remain_quota', '-', amount), used_quota: of('used_quota', '+', amount) }))
          .where('id', '=', id)
          .execute(),
      );
    const put = async (fields: object) =>
      (await kit.call({ method: 'PUT', path, body: { id, name: 'renamed', ...fields }, as: alice })).json;
    await spend(100_000);
    const seen_remain_quota = 500_000;
    const unmoved = await put({ remain_quota: 500_000, seen_remain_quota });
    expect(unmoved.data).toMatchObject({ name: 'renamed', remain_quota: 400_000, used_quota: 100_000 });
    expect((await put({ remain_quota: 600_000, seen_remain_quota })).data.remain_quota).toBe(500_000);
    expect((await put({ seen_remain_quota })).data.remain_quota).toBe(500_000);
    await spend(500_000);
    expect((await put({ remain_quota: 0, seen_remain_quota })).data.remain_quota).toBe(0);
    const row = await kit.db.read.selectFrom('token').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ granted_quota: 600_000, remain_quota: 0, used_quota: 600_000, held_quota: 0 });
    const most = 1_000_000_000_000_000;
    expect((await put({ remain_quota: most })).data.remain_quota).toBe(most);
    expect((await put({ remain_quota: most, seen_remain_quota: 0 })).message).toBe('参数错误');
    expect((await put({ remain_quota: 5, seen_remain_quota: -1 })).message).toBe('参数错误');
  });

  test('the same edit sent again is applied once, whatever was spent meanwhile; one of an older version is refused', async () => {
    const kit = await createApiKit(await open());
    const alice = await kit.user('alice');
    const { id, quota_version } = await createToken(kit, alice);
    const stored = () => kit.db.read.selectFrom('token').selectAll().executeTakeFirstOrThrow();
    const spend = (amount: number) =>
      kit.db.transaction((tx) =>
        tx.query
          .updateTable('token')
          .set((of) => ({
            used_quota: of('used_quota', '+', amount),
            remain_quota: sql`CASE WHEN unlimited_quota = 1 THEN remain_quota ELSE remain_quota - ${amount} END`,
          }))
          .execute(),
      );
    const put = async (fields: object) =>
      (await kit.call({ method: 'PUT', path, body: { id, name: 'x', ...fields }, as: alice })).json;
    const shown = async () => (await kit.call({ path: `/api/token/${id}`, as: alice })).json.data;
    const moved = '令牌额度在您编辑期间已被修改，本次没有保存任何内容，请核对后再次保存';

    const more = { remain_quota: 600_000, seen_remain_quota: 500_000, seen_version: quota_version };
    await spend(100_000);
    await Promise.all([1, 2, 3].map(async () => expect((await put(more)).success).toBe(true)));
    await spend(50_000);
    expect((await put(more)).data).toMatchObject({ remain_quota: 450_000, used_quota: 150_000 });
    expect((await put({ ...more, name: 'other', remain_quota: 700_000 })).message).toBe(moved);
    expect(await stored()).toMatchObject({ name: 'x', granted_quota: 600_000 });

    const second = { remain_quota: 550_000, seen_remain_quota: 450_000, seen_version: (await shown()).quota_version };
    expect((await put(second)).data.remain_quota).toBe(550_000);
    expect((await put(more)).message).toBe(moved);

    const none = { remain_quota: 0, seen_remain_quota: 550_000, seen_version: (await shown()).quota_version };
    await spend(10_000);
    expect((await put(none)).data.remain_quota).toBe(0);
    expect((await put(none)).data.remain_quota).toBe(0);

    const free = { unlimited_quota: true, seen_version: (await shown()).quota_version };
    for (let time = 0; time < 2; time += 1) expect((await put(free)).data.unlimited_quota).toBe(true);
    const limit = { unlimited_quota: false, remain_quota: 70_000, seen_version: (await shown()).quota_version };
    await spend(30_000);
    expect((await put(limit)).data).toMatchObject({ unlimited_quota: false, remain_quota: 70_000 });
    expect((await put(limit)).success).toBe(true);
    await spend(20_000);
    expect((await put(limit)).message).toBe(moved);
    const row = await stored();
    expect(row).toMatchObject({ remain_quota: 50_000, granted_quota: row.remain_quota + row.used_quota + row.held_quota });
  });

  test('an edit that left nothing, as that had been spent, is the same when it comes again; one of an older version never passes for done', async () => {
    const kit = await createApiKit(await open());
    const alice = await kit.user('alice');
    const { id, quota_version } = await createToken(kit, alice);
    const put = async (fields: object) =>
      (await kit.call({ method: 'PUT', path, body: { id, name: 'x', ...fields }, as: alice })).json;
    await kit.db.transaction((tx) => tx.query.updateTable('token').set({ used_quota: 450_000, remain_quota: 50_000 }).execute());
    const less = { remain_quota: 100_000, seen_remain_quota: 500_000, seen_version: quota_version };
    for (let time = 0; time < 2; time += 1) expect(await put(less)).toMatchObject({ success: true, data: { remain_quota: 0 } });
    expect(await put({ unlimited_quota: true, seen_version: quota_version })).toMatchObject({ success: false });
    const row = await kit.db.read.selectFrom('token').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ granted_quota: 450_000, remain_quota: 0, used_quota: 450_000, unlimited_quota: 0 });
  });
});
