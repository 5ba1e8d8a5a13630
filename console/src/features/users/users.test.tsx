import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { userBody, userUpdate } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { common, root, status, userOf } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { users } from '../../../test/people.ts';
import { renderApp, seeNotice } from '../../../test/render.tsx';
import { moneyFormatOf } from '../../api/status.ts';
import { changeOf, draftOf } from './draft.ts';
import { actionsFor, mayEdit } from './model.ts';

const admin = { ...common, id: 12, username: 'wangfang', role: 10 };
const format = moneyFormatOf(status);
const rowOf = async (name: string): Promise<HTMLElement> => {
  const row = (await screen.findByText(name)).closest('tr');
  if (!row) throw new Error(`no row for ${name}`);
  return row;
};
const one = (name: string) => {
  const user = users.find((each) => each.username === name);
  if (!user) throw new Error(`no user ${name}`);
  return user;
};

describe('the list of users', () => {
  it('asks the server page by page and searches by keyword', async () => {
    const app = renderApp('/user?size=20&p=2', { signedIn: root });
    await waitFor(() => expect(app.calls.some((call) => call.path === '/api/user')).toBe(true));
    expect(app.calls.find((call) => call.path === '/api/user')?.query).toEqual({ p: '1', page_size: '20', peek: 'true' });
    await app.user.type(screen.getByRole('searchbox'), 'zhao{Enter}');
    expect(await screen.findByText('zhaolei')).toBeTruthy();
    expect(app.router.state.location.search).toMatchObject({ keyword: 'zhao' });
    expect(app.calls.at(-1)?.query).toEqual({ keyword: 'zhao', p: '0', page_size: '100', peek: 'true' });
  });

  it('reaches everybody that a filter finds, and says how many only once it is known', async () => {
    const many = Array.from({ length: 130 }, (_, at) => ({ ...one('lihua'), id: 1000 + at, username: `vip${at}` }));
    const app = renderApp('/user?group=vip&size=50&p=2', {
      signedIn: root,
      override: ({ path, query }) =>
        path === '/api/user/search' ? ok(many.slice(Number(query.p) * Number(query.page_size)).slice(0, 101)) : undefined,
    });
    await rowOf('vip99');
    expect(screen.getByText('共 100+ 条')).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: '下一页' }));
    await rowOf('vip129');
    expect(screen.getByText('共 130 条')).toBeTruthy();
    expect(screen.getByText('第 3 / 3 页')).toBeTruthy();
    expect(screen.getByRole('button', { name: '下一页' }).hasAttribute('disabled')).toBe(true);
    const asked = app.calls.filter(({ path }) => path === '/api/user/search').map(({ query }) => query);
    expect(asked).toEqual(['0', '1'].map((p) => ({ group: 'vip', p, page_size: '100', peek: 'true' })));
  });

  it('has the whole of both names within reach, however short the cell', async () => {
    const long = { ...one('lihua'), username: 'a-name-of-many-letters', display_name: 'Another name', email: 'a@example.com' };
    renderApp('/user', { signedIn: root, override: ({ path }) => (path === '/api/user' ? ok([long]) : undefined) });
    const tip = (await screen.findByText(long.username)).closest('[data-tip]')?.getAttribute('data-tip');
    expect(tip).toBe('a-name-of-many-letters · Another name · a@example.com');
  });

  it('mutes deregistered users and gives them no action', async () => {
    renderApp('/user', { signedIn: root });
    const row = await rowOf('gone');
    expect(within(row).getByText('已注销')).toBeTruthy();
    expect(row.hasAttribute('data-muted')).toBe(true);
    expect(within(row).queryByRole('button')).toBeNull();
    expect(within(row).queryByRole('link')).toBeNull();
  });

  it('edits nobody who deregistered, whatever led there', async () => {
    renderApp('/user/edit/11', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑用户：gone' }));
    expect(await drawer.findByText('已注销')).toBeTruthy();
    expect(drawer.queryByLabelText('用户名')).toBeNull();
    expect(drawer.queryByRole('button', { name: '保存' })).toBeNull();
  });

  it('offers each administrator only what the server would allow', () => {
    expect(actionsFor(root, one('lihua'))).toEqual(['promote', 'disable', 'reset_second_factor', 'delete']);
    expect(actionsFor(root, one('wangfang'))).toEqual(['demote', 'disable', 'reset_second_factor', 'delete']);
    expect(actionsFor(root, one('zhaolei'))).toEqual(['promote', 'enable', 'reset_second_factor', 'delete']);
    expect(actionsFor(root, one('root'))).toEqual([]);
    expect(actionsFor(root, one('gone'))).toEqual([]);
    expect(actionsFor(admin, one('lihua'))).toEqual(['disable', 'reset_second_factor', 'delete']);
    expect(actionsFor(admin, one('wangfang'))).toEqual([]);
    expect([mayEdit(root, one('root')), mayEdit(admin, one('wangfang')), mayEdit(undefined, one('lihua'))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('says what an action means before it is done, and shows what the user is then', async () => {
    const app = renderApp('/user', {
      signedIn: root,
      override: ({ path }) => (path === '/api/user/manage' ? ok({ role: 10, status: 1 }) : undefined),
    });
    await app.user.click(within(await rowOf('lihua')).getByRole('button', { name: '更多操作' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '提升为管理员' }));
    const question = await screen.findByRole('dialog', { name: '将「lihua」提升为管理员？' });
    expect(question.textContent).toContain('可以管理渠道');
    expect(app.sent('POST', '/api/user/manage')).toEqual([]);
    await app.user.click(within(question).getByRole('button', { name: '提升为管理员' }));
    await waitFor(() => expect(app.sent('POST', '/api/user/manage')).toEqual([{ id: 7, action: 'promote' }]));
    expect(await within(await rowOf('lihua')).findByText('管理员')).toBeTruthy();
  });

  it('a deregistered user loses the actions at once, and a refused action changes nothing', async () => {
    let refused = true;
    const app = renderApp('/user', {
      signedIn: root,
      override: ({ path }) => {
        if (path !== '/api/user/manage') return undefined;
        return refused ? refuse('用户不存在') : ok({ role: 1, status: 1 });
      },
    });
    const deregister = async () => {
      await app.user.click(within(await rowOf('lihua')).getByRole('button', { name: '更多操作' }));
      await app.user.click(await screen.findByRole('menuitem', { name: '注销' }));
      const question = await screen.findByRole('dialog', { name: '注销「lihua」？' });
      expect(question.textContent).toContain('不可逆');
      await app.user.click(within(question).getByRole('button', { name: '注销' }));
    };
    await deregister();
    await seeNotice('用户不存在');
    expect(within(await rowOf('lihua')).getByText('已激活')).toBeTruthy();
    refused = false;
    await deregister();
    expect(await within(await rowOf('lihua')).findByText('已注销')).toBeTruthy();
    expect(within(await rowOf('lihua')).queryByRole('button')).toBeNull();
  });

  it('names the token whose key leaked and disables it after a question', async () => {
    let disabled = false;
    const app = renderApp('/user?keyword=sk-leaked', {
      signedIn: admin,
      override: ({ path, method }) => {
        if (path === '/api/user/search') return ok([{ ...one('lihua'), found_token: { id: 31, name: 'bot', disabled } }]);
        if (method !== 'POST' || path !== '/api/user/token/31/disable') return undefined;
        disabled = true;
        return ok(undefined);
      },
    });
    expect(within(await rowOf('lihua')).getByText('bot')).toBeTruthy();
    await app.user.click(within(await rowOf('lihua')).getByRole('button', { name: '更多操作' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '禁用令牌“bot”' }));
    const question = await screen.findByRole('dialog', { name: 'lihua' });
    expect([question.textContent?.includes('立即失去访问权限'), disabled]).toEqual([true, false]);
    await app.user.click(within(question).getByRole('button', { name: '禁用令牌“bot”' }));
    await seeNotice('操作成功完成！');
    await app.user.click(within(await rowOf('lihua')).getByRole('button', { name: '更多操作' }));
    await screen.findByRole('menuitem', { name: '注销' });
    expect(screen.queryByRole('menuitem', { name: '禁用令牌“bot”' })).toBeNull();
  });

  it('leads to what a user did and paid, also of one that may not be edited', async () => {
    const app = renderApp('/user', { signedIn: userOf({ ...root, id: 3, role: 10 }) });
    const choose = async (name: string, entry: string) => {
      await app.user.click(within(await rowOf(name)).getByRole('button', { name: '更多操作' }));
      await app.user.click(await screen.findByRole('menuitem', { name: entry }));
    };
    await choose('wangfang', '该用户的日志');
    const asked = () => {
      const {
        username,
        start_timestamp: from,
        end_timestamp: to,
      } = app.calls.find(({ path }) => path === '/api/log')?.query ?? {};
      return [username, Math.round((Number(to) - Number(from)) / 86_400)];
    };
    await waitFor(() => expect(asked()).toEqual(['wangfang', 30]));
    cleanup();
    for (const [entry, path] of [
      ['绘图', '/api/mj'],
      ['异步任务', '/api/task'],
    ] as const) {
      const work = renderApp('/user', { signedIn: root, status: { enable_drawing: true, enable_task: true } });
      await work.user.click(within(await rowOf('lihua')).getByRole('button', { name: '更多操作' }));
      await work.user.click(await screen.findByRole('menuitem', { name: entry }));
      await waitFor(() => expect(work.calls.find((call) => call.path === path)?.query.username).toBe('lihua'));
      expect((await screen.findByRole<HTMLInputElement>('searchbox', { name: '用户' })).value).toBe('lihua');
      cleanup();
    }
    const books = renderApp('/user', { signedIn: root });
    await books.user.click(within(await rowOf('lihua')).getByRole('button', { name: '更多操作' }));
    await books.user.click(await screen.findByRole('menuitem', { name: '月账单' }));
    await waitFor(() => expect(books.calls.some(({ path }) => /^\/api\/statement\/\d+$/.test(path))).toBe(true));
    expect(books.router.state.location.pathname).toBe('/topup/statement');
    cleanup();
    const again = renderApp('/user', { signedIn: root });
    await again.user.click(within(await rowOf('lihua')).getByRole('button', { name: '更多操作' }));
    await again.user.click(await screen.findByRole('menuitem', { name: '充值管理' }));
    await waitFor(() => expect(again.calls.find(({ path }) => path === '/api/payment/orders')?.query.username).toBe('lihua'));
  });

  it('a locked user can neither be enabled nor disabled', async () => {
    const app = renderApp('/user', { signedIn: root });
    await app.user.click(within(await rowOf('locked')).getByRole('button', { name: '更多操作' }));
    expect((await screen.findByRole('menuitem', { name: '启用' })).getAttribute('aria-disabled')).toBe('true');
  });

  it('is for administrators', async () => {
    const app = renderApp('/user', { signedIn: common });
    expect(await screen.findByRole('heading', { name: '没有访问权限' })).toBeTruthy();
    expect(app.calls.some((call) => call.path === '/api/user')).toBe(false);
  });
});

describe('the user editor', () => {
  it('sends only what was edited; the quota only when it was', () => {
    const user = { ...userOf(common), quota: 61_728_394 };
    const draft = draftOf(user, format);
    expect(draft.quota).toBe('123.456788');
    expect(changeOf(user, draft, format)).toBeUndefined();
    expect(changeOf(user, { ...draft, quota: '$123.456788' }, format)).toBeUndefined();
    expect(changeOf(user, { ...draft, quota_reason: 'of no change' }, format)).toBeUndefined();
    expect(changeOf(user, { ...draft, quota: '10', quota_reason: ' 补偿故障 ' }, format)).toEqual({
      id: 7,
      username: '',
      display_name: '',
      group: '',
      password: '',
      quota: 5_000_000,
      seen_quota: 61_728_394,
      seen_version: 3,
      quota_reason: '补偿故障',
    });
    const change = changeOf(user, { ...draft, group: 'vip', password: 'correct horse' }, format);
    expect(change).toEqual({ id: 7, username: '', display_name: '', group: 'vip', password: 'correct horse' });
    expect(userUpdate.safeParse(change).success).toBe(true);
  });

  it('shows what is bound, read only, and says when nothing was changed', async () => {
    const app = renderApp('/user/edit/7', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑用户：lihua' }));
    expect(drawer.getByText('li-hua').tagName).toBe('DD');
    expect(drawer.getByText('等价金额：$123.46 · 61,728,394 点额度')).toBeTruthy();
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    expect(await screen.findByText('你似乎并没有修改什么')).toBeTruthy();
    await app.user.type(drawer.getByLabelText('密码'), '1234567');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    expect(await drawer.findByText('密码长度不得小于 8 位！')).toBeTruthy();
    expect(app.sent('PUT', '/api/user')).toEqual([]);
    await app.user.type(drawer.getByLabelText('密码'), '8');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/user'));
    expect(app.sent('PUT', '/api/user')).toEqual([{ id: 7, username: '', display_name: '', group: '', password: '12345678' }]);
  });

  it('asks why the quota is changed, and only then', async () => {
    const app = renderApp('/user/edit/7', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑用户：lihua' }));
    const quota = drawer.getByLabelText(/^剩余额度/);
    await app.user.clear(quota);
    await app.user.type(quota, '10');
    expect(drawer.getByText(/^等价金额：\$10\.00 · 5,000,000 点额度 \([+-]\$[\d.,]+\)$/)).toBeTruthy();
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    expect(await drawer.findByText('请填写修改额度的原因')).toBeTruthy();
    expect(app.sent('PUT', '/api/user')).toEqual([]);
    await app.user.type(drawer.getByLabelText(/^修改额度的原因/), '补偿');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/user'));
    expect(app.sent('PUT', '/api/user')[0]).toMatchObject({ id: 7, quota: 5_000_000, quota_reason: '补偿' });
  });

  it('limits how much a user may ask for, all limits in one, and opens the fold for what is no number', async () => {
    const app = renderApp('/user/edit/7', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑用户：lihua' }));
    await app.user.click(drawer.getByRole('button', { name: '高级设置' }));
    const atOnce = drawer.getByLabelText('同时进行的请求数');
    await app.user.type(atOnce, 'x');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    expect(await drawer.findByText('请输入不小于 0 的整数')).toBeTruthy();
    await app.user.clear(atOnce);
    await app.user.type(atOnce, '3');
    await app.user.type(drawer.getByLabelText('每日金额上限'), '2');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/user'));
    const [body] = app.sent('PUT', '/api/user');
    const limits = { rpm: 0, tpm: 0, rpd: 0, concurrency: 3, quota_day: 1_000_000, quota_month: 0 };
    expect(body).toEqual({ id: 7, username: '', display_name: '', group: '', password: '', limits });
    expect(userUpdate.safeParse(body).success).toBe(true);
  });

  it('is filled anew when amounts are shown in another unit: the same text would be another quota', async () => {
    const site = { display_in_currency: true };
    const user = { ...one('lihua'), quota: 2_500_000 };
    const app = renderApp('/user/edit/7', {
      signedIn: root,
      status: site,
      override: ({ path }) => (path === '/api/user/7' ? ok(user) : undefined),
    });
    const quota = () => screen.getByLabelText<HTMLInputElement>(/^剩余额度/);
    await screen.findByRole('dialog', { name: '编辑用户：lihua' });
    expect(quota().value).toBe('5');
    site.display_in_currency = false;
    await app.readAgain();
    await waitFor(() => expect(quota().value).toBe('2500000'));
    await app.user.type(screen.getByLabelText('显示名称'), 'x');
    await app.user.click(screen.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.sent('PUT', '/api/user')).toHaveLength(1));
    expect(app.sent('PUT', '/api/user')[0]).not.toHaveProperty('quota');
  });

  it('creates a user by name and password', async () => {
    const app = renderApp('/user/add', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '添加用户' }));
    await app.user.click(drawer.getByRole('button', { name: '创建用户' }));
    expect(await drawer.findByText('请输入用户名！')).toBeTruthy();
    expect(drawer.getByText('请输入密码！')).toBeTruthy();
    await app.user.type(drawer.getByLabelText(/^用户名/), 'newcomer');
    await app.user.type(drawer.getByLabelText(/^密码/), 'correct horse');
    await app.user.click(drawer.getByRole('button', { name: '创建用户' }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/user'));
    const [body] = app.sent('POST', '/api/user');
    expect(body).toEqual({ username: 'newcomer', display_name: '', password: 'correct horse' });
    expect(userBody.safeParse(body).success).toBe(true);
  });

  it('reads the list again where nobody knows whether the user was created', async () => {
    const app = renderApp('/user/add', {
      signedIn: root,
      override: ({ method }) => (method === 'POST' ? refuse('', 502) : undefined),
    });
    const drawer = within(await screen.findByRole('dialog', { name: '添加用户' }));
    await app.user.type(drawer.getByLabelText(/^用户名/), 'newcomer');
    await app.user.type(drawer.getByLabelText(/^密码/), 'correct horse');
    const read = () => app.calls.filter(({ method, path }) => method === 'GET' && path === '/api/user').length;
    await waitFor(() => expect(read()).toBe(1));
    await app.user.click(drawer.getByRole('button', { name: '创建用户' }));
    await waitFor(() => expect(read()).toBe(2));
  });

  it('has no field for one’s own password, which is changed where the present one is asked for', async () => {
    renderApp(`/user/edit/${root.id}`, { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑用户：root' }));
    expect(drawer.getByLabelText('显示名称')).toBeTruthy();
    expect(drawer.queryByLabelText('密码')).toBeNull();
  });

  it('asks before changes get lost', async () => {
    const app = renderApp('/user/edit/7', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑用户：lihua' }));
    await app.user.type(drawer.getByLabelText('显示名称'), 'x');
    await app.user.click(drawer.getByRole('button', { name: '取消' }));
    expect(await screen.findByRole('dialog', { name: '放弃未保存的修改？' })).toBeTruthy();
  });
});
