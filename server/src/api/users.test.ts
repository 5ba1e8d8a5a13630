import { type ManageAction, role } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitAnswer, type KitUser, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { proveLedger } from '../billing/index.ts';

const unit = 500_000;

onEachEngine((_name, open) => {
  const start = async () => {
    const kit = await createApiKit(await open());
    const people = {
      root: await kit.root(),
      admin: await kit.user('admin', role.admin),
      other: await kit.user('other', role.admin),
      alice: await kit.user('alice'),
    };
    const manage = async (as: KitUser, id: number, action: ManageAction) =>
      (await kit.call({ method: 'POST', path: '/api/user/manage', body: { id, action }, as })).json;
    const edit = async (as: KitUser, body: object) => (await kit.call({ method: 'PUT', path: '/api/user/', body, as })).json;
    const self = async (as: KitUser) => (await kit.call({ path: '/api/user/self', as })).json.data;
    return { kit, manage, edit, self, ...people };
  };
  const names = (answer: KitAnswer) => answer.json.data.map((user: { username: string }) => user.username);

  test('comes into groups that exist; who is in one that was removed can be changed otherwise', async () => {
    const { kit, root, alice, edit, self } = await start();
    expect(await edit(root, { id: alice.id, group: 'vpi' })).toEqual({ success: false, message: '分组 vpi 不存在' });
    expect(await edit(root, { id: alice.id, group: 'vip' })).toMatchObject({ success: true });
    const body = { key: 'GroupRatio', value: '{"default":1}' };
    expect((await kit.call({ method: 'PUT', path: '/api/option/', body, as: root })).json).toMatchObject({ success: true });
    expect(await edit(root, { id: alice.id, group: 'vip', display_name: 'Alice' })).toMatchObject({ success: true });
    expect(await self(alice)).toMatchObject({ group: 'vip', display_name: 'Alice' });
  });

  describe('the list of users', () => {
    test('is paged as asked, newest first, with deregistered rows, and administrators see lower levels only', async () => {
      const { kit, root, admin, alice, manage } = await start();
      await kit.user('bob');
      await manage(root, alice.id, 'delete');
      const list = (query: string, as: KitUser) => kit.call({ path: `/api/user/?${query}`, as });
      expect(names(await list('', root))).toEqual(['bob', 'alice', 'other', 'admin', 'root']);
      expect(names(await list('p=1&page_size=2', root))).toEqual(['other', 'admin']);
      expect(names(await list('p=0&page_size=100', admin))).toEqual(['bob', 'alice']);
      expect(names(await list('p=1', root))).toEqual([]);
      const rows = (await list('', admin)).json.data;
      expect(rows[0].DeletedAt).toBeNull();
      expect(rows[1].DeletedAt).toMatch(/^2027-01-15T/);
      expect((await list('p=-1', root)).json.message).toBe('无效的参数');
    });

    test('carries balances and earnings and no secret', async () => {
      const { kit, root, alice, self } = await start();
      await kit.call({ method: 'PUT', path: '/api/option/', body: { key: 'QuotaForInviter', value: 700 }, as: root });
      const { aff_code: affCode } = await self(alice);
      await kit.call({
        method: 'POST',
        path: '/api/user/register',
        body: { username: 'guest', password: kitPassword, aff_code: affCode },
      });
      const token = (await kit.call({ path: '/api/user/token', as: alice })).json.data;
      const answer = await kit.call({ path: '/api/user/', as: root });
      const row = answer.json.data.find((user: { id: number }) => user.id === alice.id);
      expect(row).toMatchObject({
        quota: 0,
        aff_quota: 700,
        aff_history_quota: 700,
        aff_count: 1,
        access_token: '',
        password: '',
      });
      expect(answer.text).not.toContain(token);
      expect(answer.text).not.toMatch(/argon2|_hash|session_epoch/);
    });

    test('one user is read by those above, and a missing one is not there', async () => {
      const { kit, root, admin, other, alice } = await start();
      const get = async (id: number, as: KitUser) => (await kit.call({ path: `/api/user/${id}`, as })).json;
      expect((await get(alice.id, admin)).data.username).toBe('alice');
      expect((await get(root.id, root)).data.username).toBe('root');
      for (const id of [root.id, other.id, admin.id]) {
        expect((await get(id, admin)).message).toBe('无权获取同级或更高等级用户的信息');
      }
      const missing = await kit.call({ path: '/api/user/4711', as: root });
      expect([missing.status, missing.json.message]).toEqual([404, '用户不存在']);
    });
  });

  describe('creating users', () => {
    test('only name, password, display name and a lower role are taken; the welcome grant is booked', async () => {
      const { kit, root, admin } = await start();
      await kit.call({ method: 'PUT', path: '/api/option/', body: { key: 'QuotaForNewUser', value: unit }, as: root });
      const create = async (as: KitUser, body: object) =>
        (await kit.call({ method: 'POST', path: '/api/user/', body: { password: kitPassword, ...body }, as })).json.message;
      expect(await create(admin, { username: 'carol', quota: 9e9, group: 'vip', status: 2 })).toBe('');
      expect(await create(admin, { username: 'dave', display_name: 'Dave D' })).toBe('');
      expect(await create(admin, { username: 'eve', role: role.admin })).toBe('无法创建权限大于等于自己的用户');
      expect(await create(root, { username: 'eve', role: role.root })).toBe('无法创建权限大于等于自己的用户');
      expect(await create(root, { username: 'eve', role: role.admin })).toBe('');
      expect(await create(root, { username: 'carol' })).toBe('用户名已存在，或已注销');
      expect(await create(root, { username: 'x'.repeat(13) })).toBe('输入不合法 username: at most 12');
      expect(await create(root, { username: 'bob@qq.com' })).toBe('输入不合法 username: invalid format');
      expect(await create(root, { username: 'frank', password: 'short' })).toBe('输入不合法 password: at least 8');
      const carol = await signIn(kit.call, 'carol', kitPassword);
      const self = (await kit.call({ path: '/api/user/self', as: carol })).json.data;
      expect(self).toMatchObject({ display_name: 'carol', role: 1, group: 'default', quota: unit, status: 1 });
      const eve = await signIn(kit.call, 'eve', kitPassword);
      expect((await kit.call({ path: '/api/user/self', as: eve })).json.data.role).toBe(role.admin);
      expect((await proveLedger(kit)).ok).toBe(true);
    });
  });

  describe('editing users', () => {
    test('present fields are written, blank and absent ones stay, roles and identities never', async () => {
      const { kit, admin, alice, edit, self } = await start();
      expect(await edit(admin, { id: alice.id, username: 'alicia', display_name: 'Al', group: 'vip', quota: 1234 })).toEqual({
        success: true,
        message: '',
      });
      const change = {
        id: alice.id,
        username: '',
        password: '',
        status: 2,
        aff_count: 9,
        github_id: '5',
        role: 1,
        access_token: 'x',
      };
      expect((await edit(admin, change)).success).toBe(true);
      expect(await self(alice)).toMatchObject({
        username: 'alicia',
        display_name: 'Al',
        group: 'vip',
        quota: 1234,
        role: 1,
        status: 1,
        aff_count: 0,
        github_id: '',
      });
      expect((await edit(admin, { id: alice.id, role: role.admin })).message).toBe(
        '无权将其他用户权限等级提升到大于等于自己的权限等级',
      );
      expect((await edit(admin, { id: alice.id, username: 'other' })).message).toBe('用户名已存在，或已注销');
      expect((await edit(admin, { id: alice.id, username: 'n'.repeat(13) })).message).toBe('输入不合法 username: at most 12');
      expect((await edit(admin, { id: alice.id, quota: -1 })).message).toBe('输入不合法 quota: at least 0');
      expect((await edit(admin, { id: alice.id, quota: 2 ** 52 })).message).toBe('输入不合法 quota: at most 1000000000000000');
      expect((await edit(admin, { id: alice.id, quota: '5' })).success).toBe(false);
      expect((await edit(admin, { id: 4711, quota: 5 })).message).toBe('用户不存在');
      expect((await proveLedger(kit)).ok).toBe(true);
    });

    test('names that were given otherwise stay as long as they are', async () => {
      const { kit, admin, alice, edit, self } = await start();
      const username = 'linuxdo_1234567';
      await kit.db.transaction((tx) => tx.query.updateTable('users').set({ username }).where('id', '=', alice.id).execute());
      expect((await edit(admin, { id: alice.id, username, display_name: '', quota: 7 })).success).toBe(true);
      expect(await self(alice)).toMatchObject({ username, quota: 7 });
      const rename = async (body: object) =>
        (await kit.call({ method: 'PUT', path: '/api/user/self', body: { username, ...body }, as: alice })).json.message;
      expect(await rename({ display_name: 'Mine' })).toBe('');
      expect(await self(alice)).toMatchObject({ username, display_name: 'Mine' });
      expect(await rename({ username: 'linuxdo_7654321' })).toBe('输入不合法 username: at most 12');
      expect(await rename({ username: 'bob@qq.com' })).toBe('输入不合法 username: invalid format');
      expect(await rename({ display_name: 'd'.repeat(21) })).toBe('输入不合法 display_name: at most 20');
    });

    test('equal and higher levels are refused, root edits itself', async () => {
      const { kit, root, admin, other, edit, self } = await start();
      for (const id of [root.id, other.id, admin.id]) {
        expect((await edit(admin, { id, quota: 1 })).message).toBe('无权更新同权限等级或更高权限等级的用户信息');
      }
      expect((await edit(root, { id: root.id, display_name: 'Boss' })).success).toBe(true);
      expect((await self(root)).display_name).toBe('Boss');
      // The own password is asked for the present one, and no access token changes it.
      const mine = { id: root.id, username: 'boss', password: 'another-horse-77' };
      expect((await edit(root, mine)).message).toBe('无权进行此操作，权限不足');
      const token = (await kit.call({ path: '/api/user/token', as: root })).json.data;
      const headers = { Authorization: token, 'New-Api-User': String(root.id) };
      const byToken = await kit.call({ method: 'PUT', path: '/api/user/', body: mine, headers });
      expect(byToken.json.message).toBe('无权进行此操作，权限不足');
      expect((await self(root)).username).toBe('root');
      await kit.root();
      expect((await proveLedger(kit)).ok).toBe(true);
    });
  });

  describe('actions', () => {
    test('each has its effect and answers role and status', async () => {
      const { root, admin, alice, manage } = await start();
      expect(await manage(admin, alice.id, 'disable')).toEqual({ success: true, message: '', data: { role: 1, status: 2 } });
      expect((await manage(admin, alice.id, 'enable')).data).toEqual({ role: 1, status: 1 });
      expect((await manage(root, alice.id, 'promote')).data).toEqual({ role: 10, status: 1 });
      expect((await manage(root, alice.id, 'demote')).data).toEqual({ role: 1, status: 1 });
      expect((await manage(admin, alice.id, 'delete')).success).toBe(true);
    });

    test('what is refused is refused with its text and changes nothing', async () => {
      const { kit, root, admin, other, alice, manage } = await start();
      const before = await kit.db.read.selectFrom('users').selectAll().orderBy('id').execute();
      const level = '无权更新同权限等级或更高权限等级的用户信息';
      const refusals: [KitUser, number, string, string][] = [
        [admin, root.id, 'disable', level],
        [admin, other.id, 'demote', level],
        [admin, admin.id, 'delete', level],
        [admin, alice.id, 'promote', '普通管理员用户无法提升其他用户为管理员'],
        [admin, alice.id, 'demote', '该用户已经是普通用户'],
        [root, other.id, 'promote', '该用户已经是管理员'],
        [root, root.id, 'disable', '无法禁用超级管理员用户'],
        [root, root.id, 'delete', '无法删除超级管理员用户'],
        [root, root.id, 'demote', '无法降级超级管理员用户'],
        [root, root.id, 'promote', '该用户已经是管理员'],
        [root, 4711, 'enable', '用户不存在'],
        [root, alice.id, 'crown', '无效的参数'],
      ];
      for (const [as, id, action, text] of refusals) {
        const { success, message } = await manage(as, id, action as ManageAction);
        expect([action, success, message]).toEqual([action, false, text]);
      }
      expect(await kit.db.read.selectFrom('users').selectAll().orderBy('id').execute()).toEqual(before);
    });

    test('deregistered rows refuse everything, and the locked status is left by nothing', async () => {
      const { kit, root, admin, alice, manage, edit } = await start();
      const bob = await kit.user('bob');
      await kit.db.transaction((tx) => tx.query.updateTable('users').set({ status: 3 }).where('id', '=', bob.id).execute());
      for (const action of ['enable', 'disable'] as const) {
        expect((await manage(root, bob.id, action)).message).toBe('该用户已被锁定，无法更改状态');
      }
      await manage(admin, alice.id, 'delete');
      for (const action of ['disable', 'enable', 'delete', 'promote', 'demote'] as const) {
        expect((await manage(root, alice.id, action)).message).toBe('用户不存在');
      }
      expect((await edit(root, { id: alice.id, quota: 5 })).message).toBe('用户不存在');
      // For good they go all the same, and their name is free.
      const gone = await kit.call({ method: 'DELETE', path: `/api/user/${alice.id}`, as: root });
      expect(gone.json.success).toBe(true);
      expect((await kit.user('alice')).id).toBeGreaterThan(alice.id);
    });

    test('a hard delete frees the name, keeps the books, and spares root and equals', async () => {
      const { kit, root, admin, other, alice, edit } = await start();
      await edit(admin, { id: alice.id, quota: 1234 });
      const remove = async (id: number, as: KitUser) =>
        (await kit.call({ method: 'DELETE', path: `/api/user/${id}`, as })).json.message;
      expect(await remove(other.id, admin)).toBe('无权删除同权限等级或更高权限等级的用户');
      expect(await remove(root.id, admin)).toBe('无权删除同权限等级或更高权限等级的用户');
      expect(await remove(root.id, root)).toBe('无法删除超级管理员用户');
      expect(await remove(alice.id, admin)).toBe('');
      expect((await kit.call({ path: '/api/user/self', as: alice })).status).toBe(401);
      const again = await kit.user('alice');
      expect(again.id).toBeGreaterThan(alice.id);
      expect((await kit.call({ path: '/api/user/self', as: again })).json.data.quota).toBe(0);
      expect((await proveLedger(kit)).ok).toBe(true);
    });
  });

  describe('sessions and access tokens end at once', () => {
    const ends: [string, number, (to: { kit: ApiKit; root: KitUser }, target: KitUser) => Promise<unknown>][] = [
      ...(['disable', 'delete', 'promote'] as const).map((action): (typeof ends)[number] => [
        action,
        role.common,
        ({ kit, root }, { id }) => kit.call({ method: 'POST', path: '/api/user/manage', body: { id, action }, as: root }),
      ]),
      [
        'demote',
        role.admin,
        ({ kit, root }, { id }) =>
          kit.call({ method: 'POST', path: '/api/user/manage', body: { id, action: 'demote' }, as: root }),
      ],
      ['hard delete', role.common, ({ kit, root }, { id }) => kit.call({ method: 'DELETE', path: `/api/user/${id}`, as: root })],
      [
        'a password set by an administrator',
        role.common,
        ({ kit, root }, { id }) =>
          kit.call({ method: 'PUT', path: '/api/user/', body: { id, password: 'set-by-root-12' }, as: root }),
      ],
      [
        'an own password change',
        role.common,
        ({ kit }, target) => kit.call({ method: 'PUT', path: '/api/user/self', body: { password: 'my-own-new-12' }, as: target }),
      ],
      [
        'own deregistration',
        role.common,
        ({ kit }, target) => kit.call({ method: 'DELETE', path: '/api/user/self', as: target }),
      ],
    ];

    test.each(ends)('%s', async (_how, targetRole, end) => {
      const { kit, root } = await start();
      const target = await kit.user('target', targetRole);
      const elsewhere = await signIn(kit.call, 'target', kitPassword);
      const token = (await kit.call({ path: '/api/user/token', as: target })).json.data;
      const byToken = () =>
        kit.call({ path: '/api/user/self', headers: { Authorization: `Bearer ${token}`, 'New-Api-User': String(target.id) } });
      expect((await byToken()).json.success).toBe(true);
      const answer = (await end({ kit, root }, target)) as KitAnswer;
      expect(answer.json.success).toBe(true);
      for (const as of [target, elsewhere]) expect((await kit.call({ path: '/api/user/self', as })).status).toBe(401);
      expect((await byToken()).status).toBe(401);
      const changes = await kit.db.read.selectFrom('change').select('key').where('kind', '=', 'user').execute();
      expect(changes.map((change) => change.key)).toContain(String(target.id));
    });

    test('on every node: another process on the same database knows at its next call', async () => {
      const db = await open();
      const [here, there] = [await createApiKit(db), await createApiKit(db)];
      const target = await here.user('target');
      expect((await there.call({ path: '/api/user/self', as: target })).json.success).toBe(true);
      const body = { id: target.id, action: 'disable' };
      await here.call({ method: 'POST', path: '/api/user/manage', body, as: await here.root() });
      expect((await there.call({ path: '/api/user/self', as: target })).status).toBe(401);
      await here.call({ method: 'POST', path: '/api/user/manage', body: { ...body, action: 'enable' }, as: await here.root() });
      expect((await there.call({ path: '/api/user/self', as: target })).status).toBe(401);
    });

    test('edits that decide nothing about access leave them alone', async () => {
      const { kit, admin, alice, edit } = await start();
      await edit(admin, { id: alice.id, display_name: 'Al', group: 'vip', quota: 5 });
      expect((await kit.call({ path: '/api/user/self', as: alice })).json.data.group).toBe('vip');
    });
  });

  test('every act leaves one audit row that names both sides, and none of them a secret', async () => {
    const { kit, root, admin, alice, manage, edit } = await start();
    await manage(root, alice.id, 'disable');
    await edit(root, { id: alice.id, group: 'vip', quota: 5, password: 'secret-word-12' });
    await manage(admin, root.id, 'disable');
    await manage(admin, root.id, 'disable');
    const page = (await kit.call({ path: '/api/audit/?page_size=4', as: root })).json.data;
    const rows = page.items.map((row: { actor: string; action: string; target: string; detail: string }) => [
      row.actor,
      row.action,
      row.target,
      JSON.parse(row.detail),
    ]);
    expect(rows.slice(0, 3)).toEqual([
      ['admin', 'denied', 'POST /api/user/manage', { code: 'user_level_write' }],
      [
        'root',
        'user.update',
        `user:${alice.id}`,
        { group_name: { from: 'default', to: 'vip' }, password: 'changed', quota: { from: 0, to: 5 } },
      ],
      ['root', 'user.disable', `user:${alice.id}`, { from: { role: 1, status: 1 }, to: { role: 1, status: 2 } }],
    ]);
    expect(JSON.stringify(page)).not.toContain('secret-word-12');
    expect((await kit.call({ path: '/api/audit/?actor=admin&action=denied', as: root })).json.data.total).toBe(1);
    kit.clock.advanceMs(61_000);
    await manage(admin, root.id, 'disable');
    expect((await kit.call({ path: '/api/audit/?actor=admin&action=denied', as: root })).json.data.total).toBe(2);
  });
});
