import { role } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { createApiKit, type KitAnswer, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { planned } from '../../test/planned.ts';

onEachEngine((_name, open) => {
  const start = async () => {
    const kit = await createApiKit(await open());
    const people = {
      root: await kit.root(),
      admin: await kit.user('admin', role.admin),
      other: await kit.user('other', role.admin),
      alice: await kit.user('alice'),
    };
    const edit = async (as: KitUser, body: object) => (await kit.call({ method: 'PUT', path: '/api/user/', body, as })).json;
    return { kit, edit, ...people };
  };
  const names = (answer: KitAnswer) => answer.json.data.map((user: { username: string }) => user.username);

  test('is searched by id, name, address and group', async () => {
    const { kit, root, admin, alice, edit } = await start();
    await kit.user('bob_b');
    await edit(root, { id: alice.id, display_name: 'Wonder%Land', group: 'vip' });
    const search = async (query: string, as: KitUser = root) => names(await kit.call({ path: `/api/user/search?${query}`, as }));
    expect(await search('keyword=WONDER')).toEqual(['alice']);
    expect(await search('keyword=%25')).toEqual(['alice']);
    await edit(root, { id: alice.id, display_name: 'Ольга' });
    expect(await search(`keyword=${encodeURIComponent('Ольга')}`)).toEqual(['alice']);
    if (kit.db.engine === 'sqlite') expect(await search(`keyword=${encodeURIComponent('оЛЬ')}`)).toEqual(['alice']);
    expect(await search('keyword=b_b')).toEqual(['bob_b']);
    expect(await search('keyword=o_h')).toEqual([]);
    expect(await search(`keyword=${alice.id}`)).toEqual(['alice']);
    expect(await search('keyword=&group=vip')).toEqual(['alice']);
    expect(await search('keyword=bob&group=vip')).toEqual([]);
    expect(await search('keyword=', admin)).toEqual(['bob_b', 'alice']);
    expect(await search('keyword=root', admin)).toEqual([]);
  });

  test('the owner of a leaked key is found by the whole key, by whom the user is for', async () => {
    const { kit, root, admin, other, alice } = await start();
    const keyOf = async (as: KitUser): Promise<string> => {
      await kit.call({ method: 'POST', path: '/api/token', body: { name: 'bot', unlimited_quota: true }, as });
      return (await kit.call({ path: '/api/token', as })).json.data[0].key;
    };
    const [leaked, ofAdmin] = [await keyOf(alice), await keyOf(other)];
    const search = async (keyword: string, as: KitUser = admin) =>
      names(await kit.call({ path: `/api/user/search?keyword=${keyword}`, as }));
    expect([await search(`sk-${leaked}`), await search(leaked)]).toEqual([['alice'], ['alice']]);
    expect([await search(`sk-${ofAdmin}`), await search(`sk-${ofAdmin}`, root)]).toEqual([[], ['other']]);
    expect(await search(`sk-${leaked.slice(0, -1)}`)).toEqual([]);
    const [{ id }] = (await kit.call({ path: '/api/token', as: alice })).json.data;
    const token = async (as = admin) =>
      (await kit.call({ path: `/api/user/search?keyword=sk-${leaked}`, as })).json.data[0].found_token;
    const disable = async (path: string | number, as = admin) =>
      (await kit.call({ method: 'POST', path: `/api/user/token/${path}/disable`, as })).json;
    expect(await token()).toEqual({ id, name: 'bot', disabled: false });
    expect(await disable(id + 1)).toMatchObject({ success: false, message: '无权更新同权限等级或更高权限等级的用户信息' });
    expect(await disable(id + 2)).toMatchObject({ success: false });
    for (const _ of ['once', 'again']) expect(await disable(id)).toMatchObject({ success: true });
    expect([await token(), (await kit.call({ path: '/api/token', as: alice })).json.data[0].status]).toEqual([
      { id, name: 'bot', disabled: true },
      2,
    ]);
    const audit = kit.db.read.selectFrom('audit').select(['actor_id', 'target', 'detail']).where('action', '=', 'token.disable');
    expect(await audit.execute()).toEqual([
      { actor_id: admin.id, target: `token:${id}`, detail: JSON.stringify({ user: alice.id, name: 'bot' }) },
    ]);
    expect(await disable(id + 1, root)).toMatchObject({ success: true });
    await kit.call({ method: 'DELETE', path: `/api/token/${id}`, as: alice });
    expect(await search(`sk-${leaked}`)).toEqual([]);
  });

  test('a keyword is looked for where nothing quick waits', async () => {
    const db = await open();
    const { heard, texts } = planned(db);
    const kit = await createApiKit(heard);
    const root = await kit.root();
    const find = (keyword: string) => kit.call({ path: `/api/user/search?keyword=${keyword}`, as: root });
    expect(names(await find('oo'))).toEqual(['root']);
    expect(names(await find(''))).toEqual(['root']);
    const asked = texts();
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((text) => /like/i.test(text))).toEqual([]);
  });

  test('list and search are narrowed by role, status and group; who deregistered has no other status', async () => {
    const { kit, root, admin, other, alice } = await start();
    const bob = await kit.user('bob_b');
    const put = (id: number, columns: object) =>
      kit.db.transaction((tx) => tx.query.updateTable('users').set(columns).where('id', '=', id).execute());
    await put(bob.id, { status: 2, group_name: 'vip' });
    await put(other.id, { status: 2 });
    const gone = await kit.user('carol');
    await put(gone.id, { deleted_at: 1 });
    for (const where of ['?', 'search?keyword=&', 'search?keyword=o&']) {
      const found = async (query: string, as = root) => names(await kit.call({ path: `/api/user/${where}${query}`, as }));
      expect(await found('status=2')).toEqual(['bob_b', 'other']);
      expect(await found('status=2&role=1')).toEqual(['bob_b']);
      expect(await found('status=2&role=1&group=default')).toEqual([]);
      expect(await found('group=vip')).toEqual(['bob_b']);
      expect(await found('status=4')).toEqual(['carol']);
      expect(await found('status=1')).not.toContain('carol');
      expect(await found('role=100')).toEqual(['root']);
      expect(await found('role=100', admin)).toEqual([]);
    }
    expect(names(await kit.call({ path: `/api/user/search?keyword=${alice.id}&status=2`, as: root }))).toEqual([]);
  });

  test('is searched by pages, and whose whole name or id it is comes first however many contain it', async () => {
    const { kit, root, alice } = await start();
    const row = await kit.db.read.selectFrom('users').selectAll().where('id', '=', alice.id).executeTakeFirstOrThrow();
    const many = Array.from({ length: 130 }, (_, at) => {
      const name = `alice${alice.id}${at}`;
      const own = { id: 1000 + at, username: name, name_key: name, display_name: name, aff_code: `c${at}` };
      return { ...row, ...own, group_name: 'vip' };
    });
    await kit.db.transaction((tx) => tx.query.insertInto('users').values(many).execute());
    const ids = async (query: string) =>
      (await kit.call({ path: `/api/user/search?${query}`, as: root })).json.data.map((user: { id: number }) => user.id);
    const newestFirst = many.map(({ id }) => id).reverse();
    const inTens = async (query: string, pages: number) => {
      const asked = Array.from({ length: pages }, (_, p) => ids(`${query}&p=${p}&page_size=10`));
      return (await Promise.all(asked)).flat();
    };
    for (const keyword of ['alice', String(alice.id)]) {
      const found = [alice.id, ...newestFirst];
      expect(await ids(`keyword=${keyword}`)).toEqual(found.slice(0, 100));
      expect(await ids(`keyword=${keyword}&p=1`)).toEqual(found.slice(100));
    }
    expect(await inTens('keyword=alice', 14)).toEqual([alice.id, ...newestFirst]);
    expect(await ids('keyword=&group=vip&p=1&page_size=100')).toEqual(newestFirst.slice(100));
    expect(await ids('keyword=alice&group=vip&p=12&page_size=10')).toEqual(newestFirst.slice(120));
    expect(await ids('keyword=alice&p=20')).toEqual([]);
  });
});
