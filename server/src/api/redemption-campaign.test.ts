import { mostAmount } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { createRedemptions, type WalletDeps } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';

const path = '/api/redemption/';
/** Shorter than a session. */
const life = 600;

async function make(kit: ApiKit, as: KitUser, fields: object): Promise<string[]> {
  const made = await kit.call({ method: 'POST', path, body: { name: 'spring', quota: 500, count: 1, ...fields }, as });
  expect(made.json).toMatchObject({ success: true });
  return made.json.data;
}

const redeem = async (kit: ApiKit, as: KitUser, key: string | undefined) =>
  (await kit.call({ method: 'POST', path: '/api/user/topup', body: { key }, as })).json;
const idsOf = async (kit: ApiKit, as: KitUser, query: string) =>
  (await kit.call({ path: `${path}${query}`, as })).json.data.map(({ id }: { id: number }) => id);

onEachEngine((_name, open) => {
  test('a code that has ended gives nothing, is found as such, may get a later end, and is swept away with what is invalid', async () => {
    const kit = await createApiKit(await open());
    const admin = await kit.user('admin', 10);
    const alice = await kit.user('alice');
    const ends = nowSeconds(kit.clock) + life;
    const [first, second] = await make(kit, admin, { count: 2, expired_time: ends });
    const [lasting] = await make(kit, admin, {});
    expect((await kit.call({ path: `${path}3`, as: admin })).json.data).toMatchObject({ expired_time: 0, per_user: 0 });
    kit.clock.advanceMs(life * 1000 - 1000);
    expect(await redeem(kit, alice, first)).toMatchObject({ success: true });
    expect(await idsOf(kit, admin, '?status=4')).toEqual([]);
    kit.clock.advanceMs(1000);
    expect(await redeem(kit, alice, second)).toEqual({ success: false, message: '兑换失败，该兑换码已过期' });
    const [expired] = await idsOf(kit, admin, '?status=4');
    expect([await idsOf(kit, admin, '?status=1'), await idsOf(kit, admin, 'search?keyword=spr&status=4')]).toEqual([
      [3],
      [expired],
    ]);
    const change = async (fields: object) =>
      (await kit.call({ method: 'PUT', path, body: { id: expired, name: 'spring', quota: 500, ...fields }, as: admin })).json;
    expect(await change({ name: 'spring!' })).toMatchObject({ data: { expired_time: ends } });
    expect(await change({ expired_time: ends - 1 })).toEqual({ success: false, message: '过期时间不能早于当前时间' });
    expect(await change({ expired_time: ends + life })).toMatchObject({ data: { expired_time: ends + life } });
    expect(await redeem(kit, alice, second)).toMatchObject({ success: true });
    await make(kit, admin, { expired_time: ends + life });
    kit.clock.advanceMs(life * 1000);
    expect((await kit.call({ method: 'DELETE', path: `${path}invalid`, as: admin })).json.data).toBe(3);
    expect(await redeem(kit, alice, lasting)).toMatchObject({ success: true });
    const audit = kit.db.read.selectFrom('audit').select('detail').where('action', 'like', 'redemption.%').orderBy('seq');
    const told = (await audit.execute()).map(({ detail }) => JSON.parse(detail));
    expect(told).toContainEqual({ name: 'spring', quota: 500, count: 2, expires_at: ends, ids: [1, 2] });
    expect(told).toContainEqual({ expires_at: { from: ends, to: ends + life }, name: { from: 'spring!', to: 'spring' } });
    expect(told).toContainEqual(expect.objectContaining({ count: 3, expired: { count: 1, quota: 500, ids: [4] } }));
  });

  test('a new end and limit go to all codes of a campaign that nobody has used, where that is asked for', async () => {
    const kit = await createApiKit(await open());
    const admin = await kit.user('admin', 10);
    const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
    const ends = nowSeconds(kit.clock) + life;
    const codes = await make(kit, admin, { count: 4, expired_time: ends });
    const [other] = await make(kit, admin, { name: 'springs', expired_time: ends });
    expect(await redeem(kit, alice, codes[0])).toMatchObject({ success: true });
    await kit.call({ method: 'PUT', path: `${path}?status_only=true`, body: { id: 2, status: 2 }, as: admin });
    kit.clock.advanceMs(life * 1000 - 1000);
    const change = async (fields: object) =>
      (await kit.call({ method: 'PUT', path, body: { id: 3, name: 'spring', quota: 500, ...fields }, as: admin })).json;
    const late = { success: false, message: '过期时间不能早于当前时间' };
    expect(await change({ expired_time: ends - 2, whole_campaign: true })).toEqual(late);
    expect(await change({ name: 'summer', expired_time: ends + life, per_user: 1, whole_campaign: true })).toMatchObject({
      data: { name: 'summer', expired_time: ends + life, per_user: 1 },
    });
    const terms = (await kit.call({ path: `${path}search?keyword=s`, as: admin })).json.data as { id: number }[];
    const shown = (id: number) => terms.find((row) => row.id === id);
    expect(shown(4)).toMatchObject({ name: 'spring', quota: 500, expired_time: ends + life, per_user: 1 });
    for (const id of [1, 2, 5]) expect(shown(id)).toMatchObject({ expired_time: ends, per_user: 0 });
    kit.clock.advanceMs(1000);
    expect(await redeem(kit, alice, codes[3])).toMatchObject({ success: false });
    expect(await redeem(kit, bob, codes[3])).toMatchObject({ success: true });
    expect(await redeem(kit, bob, other)).toMatchObject({ success: false });
    const audit = kit.db.read.selectFrom('audit').select('detail').where('target', '=', 'redemption:spring').orderBy('seq');
    const told = (await audit.execute()).map(({ detail }) => JSON.parse(detail));
    expect(told.at(-1)).toEqual({ expires_at: ends + life, per_user: 1, count: 1, quota: 500, ids: [4] });
  });

  test('no code is made that has ended already, and none is swept away by a clock that was set forward', async () => {
    const kit = await createApiKit(await open());
    const [admin, alice] = [await kit.user('admin', 10), await kit.user('alice')];
    const now = nowSeconds(kit.clock);
    const body = { name: 'spring', quota: 500, count: 1, expired_time: now };
    const message = '过期时间不能早于当前时间';
    expect((await kit.call({ method: 'POST', path, body, as: admin })).json).toEqual({ success: false, message });
    const [code] = await make(kit, admin, { expired_time: now + life });
    const sweep = async () => (await kit.call({ method: 'DELETE', path: `${path}invalid`, as: admin })).json.data;
    kit.clock.skewMs(life * 1000);
    expect([await redeem(kit, alice, code), await sweep()]).toEqual([{ success: false, message: '兑换失败，该兑换码已过期' }, 0]);
    kit.clock.skewMs(-life * 1000);
    expect(await redeem(kit, alice, code)).toMatchObject({ success: true });
    expect(await sweep()).toBe(1);
  });

  test('nobody redeems more codes of one name than one may, whichever batch they came from, also when used ones were swept away', async () => {
    const kit = await createApiKit(await open());
    const admin = await kit.user('admin', 10);
    const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
    const keys = [...(await make(kit, admin, { count: 2, per_user: 1 })), ...(await make(kit, admin, { per_user: 1 }))];
    const [other] = await make(kit, admin, { name: 'summer', per_user: 1 });
    const [free] = await make(kit, admin, {});
    expect(await redeem(kit, alice, keys[0])).toMatchObject({ success: true });
    const message = '兑换失败，该活动的兑换码每人最多可兑换 1 个';
    for (const key of keys.slice(1)) expect(await redeem(kit, alice, key)).toEqual({ success: false, message });
    await kit.call({ method: 'DELETE', path: `${path}invalid`, as: admin });
    expect(await redeem(kit, alice, keys[1])).toEqual({ success: false, message });
    for (const key of [other, free]) expect(await redeem(kit, alice, key)).toMatchObject({ success: true });
    for (const key of keys.slice(1, 2)) expect(await redeem(kit, bob, key)).toMatchObject({ success: true });
    expect((await kit.call({ path: '/api/user/self', as: alice })).json.data.quota).toBe(1500);
  });

  test('a limit that is changed holds from then on, that of each code for itself; absent it stays', async () => {
    const kit = await createApiKit(await open());
    const [admin, alice] = [await kit.user('admin', 10), await kit.user('alice')];
    const keys = await make(kit, admin, { count: 3, per_user: 1 });
    const rows = (await kit.call({ path, as: admin })).json.data as { id: number; key: string }[];
    const change = async (at: number, fields: object) => {
      const body = { id: rows.find(({ key }) => key === keys[at])?.id, name: 'spring', quota: 500, ...fields };
      return (await kit.call({ method: 'PUT', path, body, as: admin })).json.data.per_user;
    };
    const isGiven = async (at: number) => (await redeem(kit, alice, keys[at])).success;
    expect([await isGiven(0), await isGiven(1)]).toEqual([true, false]);
    expect([await change(1, { per_user: 2 }), await change(2, {})]).toEqual([2, 1]);
    expect([await isGiven(1), await isGiven(2)]).toEqual([true, false]);
    expect([await change(2, { per_user: 0 }), await isGiven(2)]).toEqual([0, true]);
  });

  test('a campaign is summed up: every code is redeemed, withdrawn, expired or open, deleted ones too', async () => {
    const kit = await createApiKit(await open());
    const admin = await kit.user('admin', 10);
    const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
    const ends = nowSeconds(kit.clock) + life;
    const begun = nowSeconds(kit.clock);
    const keys = await make(kit, admin, { count: 8, expired_time: ends });
    await make(kit, admin, { name: 'autumn', quota: 3 });
    const rows = (await kit.call({ path, as: admin })).json.data as { id: number; key: string }[];
    const idOf = (at: number) => rows.find(({ key }) => key === keys[at])?.id ?? 0;
    for (const [at, user] of [alice, alice, bob].entries())
      expect(await redeem(kit, user, keys[at])).toMatchObject({ success: true });
    await kit.call({ method: 'PUT', path: `${path}?status_only=true`, body: { id: idOf(3), status: 2 }, as: admin });
    await kit.call({ method: 'DELETE', path: `${path}${idOf(4)}`, as: admin });
    const sums = async (query = '') => (await kit.call({ path: `${path}campaigns${query}`, as: admin })).json.data;
    const unused = { redeemed: 0, users: 0, quota_given: 0, withdrawn: 0, expired: 0, created_time: begun };
    const spring = { name: 'spring', made: 8, redeemed: 3, users: 2, quota_given: 1500, created_time: begun };
    expect(await sums()).toEqual([
      { ...unused, name: 'autumn', made: 1, open: 1, quota_open: 3 },
      { ...spring, withdrawn: 2, expired: 0, open: 3, quota_open: 1500 },
    ]);
    kit.clock.advanceMs(life * 1000);
    const ended = { ...spring, withdrawn: 2, expired: 3, open: 0, quota_open: 0 };
    expect(await sums('?keyword=SPR')).toEqual([ended]);
    await kit.call({ method: 'DELETE', path: `${path}invalid`, as: admin });
    expect(await sums('?keyword=spring')).toEqual([ended]);
    expect([await sums('?page_size=1&peek=true'), await sums('?page_size=1&p=1'), await sums('?p=1')]).toMatchObject([
      [{ name: 'autumn' }, { name: 'spring' }],
      [{ name: 'spring' }],
      [],
    ]);
  });

  test('names that people take for one are one campaign: its limit, its terms, its sum', async () => {
    const kit = await createApiKit(await open());
    const admin = await kit.user('admin', 10);
    const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
    const [first] = await make(kit, admin, { per_user: 1 });
    const [second, third] = await make(kit, admin, { name: 'ＳＰＲＩＮＧ', count: 2, per_user: 1 });
    const [other] = await make(kit, admin, { name: 'Spring 2', per_user: 1 });
    expect(await redeem(kit, alice, first)).toMatchObject({ success: true });
    const message = '兑换失败，该活动的兑换码每人最多可兑换 1 个';
    expect(await redeem(kit, alice, second)).toEqual({ success: false, message });
    expect(await redeem(kit, alice, other)).toMatchObject({ success: true });
    expect(await redeem(kit, bob, second)).toMatchObject({ success: true });
    await make(kit, admin, { name: 'Spring' });
    const ends = nowSeconds(kit.clock) + life;
    const body = { id: 5, name: 'Spring', quota: 500, expired_time: ends, whole_campaign: true };
    expect((await kit.call({ method: 'PUT', path, body, as: admin })).json).toMatchObject({ success: true });
    const left = (await kit.call({ path: `${path}?status=1`, as: admin })).json.data;
    expect(left.map(({ key, expired_time: end }: { key: string; expired_time: number }) => [key === third, end])).toEqual([
      [false, ends],
      [true, ends],
    ]);
    const sums = async (query: string) => (await kit.call({ path: `${path}campaigns${query}`, as: admin })).json.data;
    const spring = { name: 'Spring', made: 4, redeemed: 2, users: 2, open: 2, quota_given: 1000, quota_open: 1000 };
    expect(await sums('')).toMatchObject([spring, { name: 'Spring 2', made: 1 }]);
    expect(await sums('?page_size=1&p=1')).toMatchObject([{ name: 'Spring 2' }]);
    expect(await sums('?keyword=ｓｐｒｉｎｇ 2')).toMatchObject([{ name: 'Spring 2' }]);
  });

  test('a campaign whose codes are worth more than the exact whole numbers is summed up all the same', async () => {
    const kit = await createApiKit(await open());
    const admin = await kit.user('admin', 10);
    await make(kit, admin, { name: 'autumn', quota: 3 });
    await make(kit, admin, { count: 10, quota: mostAmount });
    const { json } = await kit.call({ path: `${path}campaigns`, as: admin });
    expect(json.data).toMatchObject([
      { name: 'spring', quota_given: 0, quota_open: 10 * mostAmount },
      { name: 'autumn', quota_given: 0, quota_open: 3 },
    ]);
  });

  test('campaigns are summed up, and codes looked for among all, where nothing quick waits', async () => {
    const db = await open();
    const redemptions = createRedemptions({
      db: { ...db, read: undefined as never },
      clock: new FakeClock(1_764_000_000_000),
    } as unknown as WalletDeps);
    const page = { p: 0, page_size: 10 };
    expect(await redemptions.campaigns({ keyword: '', ...page })).toEqual([]);
    expect(await redemptions.find({ keyword: 'spring', status: 0, ...page })).toEqual([]);
    expect(await redemptions.find({ keyword: '', status: 3, ...page })).toEqual([]);
  });
});
