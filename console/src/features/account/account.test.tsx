import { screen, waitFor, within } from '@testing-library/react';
import { type LoginUser, selfBody, type User } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { common, now, root, status, userOf } from '../../../test/fixtures.ts';
import { type MockOptions, ok, refuse } from '../../../test/mock-api.ts';
import { sessions } from '../../../test/people.ts';
import { enabledButton, renderApp } from '../../../test/render.tsx';
import { moneyFormatOf } from '../../api/status.ts';
import { transferFault } from '../../ui/invite/transfer.ts';
import { notices } from '../../ui/notify.ts';
import { newPasswordFaults } from '../../ui/signin/rules.ts';
import { changedNames, nameFaults } from './model.ts';

const format = moneyFormatOf(status);

async function open(self: Partial<User> = {}, more: MockOptions & { signedIn?: LoginUser } = {}) {
  const app = renderApp('/setting?tab=personal', {
    signedIn: common,
    ...more,
    override: (request) =>
      more.override?.(request) ??
      (request.method === 'GET' && request.path === '/api/user/self' ? ok({ ...userOf(common), ...self }) : undefined),
  });
  await screen.findByRole('region', { name: '个人资料' });
  return app;
}
const card = (name: string) => within(screen.getByRole('region', { name }));
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));

beforeEach(() => void vi.setSystemTime(now * 1000));
afterEach(() => void vi.useRealTimers());

describe('the page', () => {
  it('stands where one of its parts cannot be read, which is asked for again once, not without end', async () => {
    const app = await open({}, { override: ({ path }) => (path === '/api/user/models' ? refuse('boom', 500) : undefined) });
    await waitFor(() => expect(app.sent('GET', '/api/user/models')).toHaveLength(2));
    expect(await card('可用模型').findByRole('button', { name: '重试' })).toBeTruthy();
    await app.user.type(card('个人资料').getByLabelText('显示名称'), '二');
    expect(app.sent('GET', '/api/user/models')).toHaveLength(2);
  });
});

describe('the own data', () => {
  it('comes as the file of the server', async () => {
    const app = await open();
    const plain = globalThis.fetch;
    vi.stubGlobal('fetch', (url: string, options: RequestInit = {}) =>
      url === '/api/user/self/export'
        ? Promise.resolve(new Response('{"record":"profile"}\n', { headers: { 'Content-Type': 'application/x-ndjson' } }))
        : plain(url, options),
    );
    const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
    vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:x');
    await app.user.click(card('导出我的数据').getByRole('button', { name: '导出我的数据' }));
    expect(await screen.findByText('已导出 21 B')).toBeTruthy();
    expect(saved.mock.contexts.map((link) => (link as HTMLAnchorElement).download)).toEqual(['personal-data.ndjson']);
    vi.restoreAllMocks();
  });
});

describe('the own names and password', () => {
  it('are sent only as far as they differ, and nothing is sent when nothing does', async () => {
    let self = userOf(common);
    const app = await open(
      {},
      {
        override({ method, path, body }) {
          if (path !== '/api/user/self') return undefined;
          if (method === 'PUT') self = { ...self, display_name: (body as typeof self).display_name };
          return ok(method === 'PUT' ? undefined : self);
        },
      },
    );
    await app.user.click(card('个人资料').getByRole('button', { name: '保存' }));
    expect(await screen.findByText('你似乎并没有修改什么')).toBeTruthy();
    const display = card('个人资料').getByLabelText('显示名称');
    await app.user.clear(display);
    await app.user.type(display, ' 李华二 ');
    await app.user.click(card('个人资料').getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.sent('PUT', '/api/user/self')).toHaveLength(1));
    const [body] = app.sent('PUT', '/api/user/self');
    expect(body).toEqual({ username: '', display_name: '李华二', password: '', original_password: '' });
    expect(selfBody.safeParse(body).success).toBe(true);
    expect(await screen.findByRole('button', { name: '用户菜单：李华二' })).toBeTruthy();
  });

  it('are not changed back where one was changed elsewhere while the form was filled in', async () => {
    let username = common.username;
    const app = await open(
      {},
      {
        override: ({ method, path }) =>
          method === 'GET' && path === '/api/user/self' ? ok({ ...userOf(common), username }) : undefined,
      },
    );
    username = 'renamed';
    await app.readAgain();
    await app.user.type(card('个人资料').getByLabelText('显示名称'), '二');
    await app.user.click(card('个人资料').getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.sent('PUT', '/api/user/self')).toHaveLength(1));
    expect(app.sent('PUT', '/api/user/self')[0]).toMatchObject({ username: '', display_name: `${common.display_name}二` });
    await app.user.click(await enabledButton('保存', card('个人资料')));
    expect(await screen.findByText('你似乎并没有修改什么')).toBeTruthy();
  });

  it('follow the rules; names that stay may be longer than new ones', () => {
    const long = { username: 'imported-long-name', display_name: 'x'.repeat(30) };
    expect(nameFaults(long, long)).toEqual({ username: undefined, display_name: undefined });
    expect(nameFaults(long, { username: 'a', display_name: 'b' })).toEqual({
      username: '用户名最多 12 个字符，不含 @',
      display_name: '显示名称最多 20 个字符',
    });
    expect(nameFaults({ username: ' ', display_name: '' }, long)).toEqual({
      username: '请输入用户名！',
      display_name: '请输入显示名称',
    });
    expect(changedNames({ username: ' a ', display_name: 'c' }, { username: 'a', display_name: 'b' })).toEqual({
      username: '',
      display_name: 'c',
    });
  });

  it('a new password must be typed twice alike, and the present one goes along', async () => {
    const app = await open();
    const fields = card('修改密码');
    await app.user.type(fields.getByLabelText('当前密码'), 'old password');
    await app.user.type(fields.getByLabelText('新密码'), 'correct horse');
    await app.user.type(fields.getByLabelText('再次输入密码'), 'correct house');
    await app.user.click(fields.getByRole('button', { name: '修改密码' }));
    expect(fields.getByText('两次输入的密码不一致！')).toBeTruthy();
    expect(app.sent('PUT', '/api/user/self')).toEqual([]);
    await app.user.clear(fields.getByLabelText('再次输入密码'));
    await app.user.type(fields.getByLabelText('再次输入密码'), 'correct horse');
    await app.user.click(fields.getByRole('button', { name: '修改密码' }));
    await waitFor(() => expect(app.sent('PUT', '/api/user/self')).toHaveLength(1));
    expect(app.sent('PUT', '/api/user/self')[0]).toMatchObject({ password: 'correct horse', original_password: 'old password' });
    expect(newPasswordFaults({ password: '1234567', password2: '1234567' }).password).toBe('密码长度不得小于 8 位！');
  });
});

describe('connected accounts', () => {
  it('show their state; what the operator switched off cannot be connected', async () => {
    await open({ email: 'lihua@example.org', github_id: 'li-hua' }, { status: { linuxdo_oauth: true } });
    const rows = card('账户绑定').getAllByRole('listitem');
    expect(rows.map((row) => row.textContent)).toEqual([
      '邮箱lihua@example.org已绑定更换',
      '微信未启用',
      'GitHubli-hua已绑定',
      'Telegram未启用',
      'Linux DO未绑定绑定',
    ]);
  });

  it('an address is proven by a code; the button rests for 30 seconds, a reload does not shorten that', async () => {
    const app = await open({}, { override: ({ path }) => (/verification$|email\/bind$/.test(path) ? ok() : undefined) });
    await app.user.click(card('账户绑定').getByRole('button', { name: '绑定 邮箱' }));
    let box = await dialog('绑定邮箱地址');
    await app.user.click(box.getByRole('button', { name: '获取验证码' }));
    expect(box.getByText('请输入您的邮箱地址！')).toBeTruthy();
    await app.user.type(box.getByLabelText(/^邮箱$|^邮箱\*/), 'li@hua@');
    await app.user.click(box.getByRole('button', { name: '获取验证码' }));
    expect(box.getByText('无效的邮箱地址')).toBeTruthy();
    expect(app.calls.filter((call) => call.path === '/api/verification')).toEqual([]);
    await app.user.clear(box.getByLabelText(/^邮箱\*?$/));
    await app.user.type(box.getByLabelText(/^邮箱\*?$/), 'li@example.org');
    await app.user.click(box.getByRole('button', { name: '获取验证码' }));
    expect(await box.findByRole('button', { name: '30 秒后重发' })).toBeTruthy();
    await app.user.click(box.getByRole('button', { name: '取消' }));
    await app.user.click((await dialog('放弃未保存的修改？')).getByRole('button', { name: '放弃修改' }));
    vi.setSystemTime((now + 12) * 1000);
    await app.user.click(card('账户绑定').getByRole('button', { name: '绑定 邮箱' }));
    box = await dialog('绑定邮箱地址');
    expect(box.getByRole('button', { name: '18 秒后重发' }).hasAttribute('disabled')).toBe(true);
    await app.user.type(box.getByLabelText(/^邮箱\*?$/), 'li@example.org');
    await app.user.click(box.getByRole('button', { name: '绑定' }));
    expect(box.getByText('请输入邮箱验证码！')).toBeTruthy();
    await app.user.type(box.getByLabelText(/^邮箱验证码/), ' 123456 ');
    await app.user.click(box.getByRole('button', { name: '绑定' }));
    await waitFor(() =>
      expect(app.calls.find((call) => call.path === '/api/oauth/email/bind')?.query).toEqual({
        email: 'li@example.org',
        code: '123456',
      }),
    );
    expect(await screen.findByText('邮箱绑定成功！')).toBeTruthy();
  });
});

describe('what protects the account', () => {
  it('the system access token replaces the old one only when that is confirmed, and is shown once', async () => {
    const app = await open({}, { override: ({ path }) => (path === '/api/user/token' ? ok('t0ken-of-lihua') : undefined) });
    await app.user.click(card('系统访问令牌').getByRole('button'));
    const question = await dialog('生成新的系统访问令牌？');
    expect(app.calls.some((call) => call.path === '/api/user/token')).toBe(false);
    await app.user.click(question.getByRole('button', { name: '生成系统访问令牌' }));
    const shown = await dialog('系统访问令牌');
    expect(shown.getByLabelText<HTMLInputElement>('系统访问令牌').value).toBe('t0ken-of-lihua');
    await app.user.click(shown.getAllByRole('button', { name: '关闭' })[0] ?? document.body);
    await waitFor(() => expect(screen.queryByDisplayValue('t0ken-of-lihua')).toBeNull());
  });

  it('the second factor is switched on by a code of it, and its recovery codes are left only on purpose', async () => {
    const codes = ['abcde-fghjk', 'mnpqr-stuvw'];
    const app = await open(
      {},
      {
        override: ({ path }) => {
          if (path === '/api/user/totp/setup')
            return ok({ secret: 'JBSWY3DPEHPK3PXP', uri: 'otpauth://totp/x?secret=JBSWY3DPEHPK3PXP' });
          return path === '/api/user/totp/confirm' ? ok(codes) : undefined;
        },
      },
    );
    await app.user.click(card('两步验证').getByRole('button', { name: '启用两步验证' }));
    await app.user.click((await dialog('启用两步验证')).getByRole('button', { name: '继续' }));
    expect(await screen.findByRole('img', { name: '两步验证二维码' })).toBeTruthy();
    const scan = await dialog('启用两步验证');
    expect(scan.getByText('JBSWY3DPEHPK3PXP')).toBeTruthy();
    // The secret that was just scanned is not shown a second time.
    await app.user.click(document.querySelector('.bg-backdrop') ?? expect.unreachable());
    await app.user.type(scan.getByLabelText('6 位验证码'), '12345');
    await app.user.click(scan.getByRole('button', { name: '确认启用' }));
    expect(scan.getByText('请输入 6 位数字验证码')).toBeTruthy();
    await app.user.clear(scan.getByLabelText('6 位验证码'));
    await app.user.click(scan.getByLabelText('6 位验证码'));
    await app.user.paste(' １２３ 456 ');
    await app.user.click(scan.getByRole('button', { name: '确认启用' }));
    const kept = await dialog('保存恢复码');
    expect(app.sent('POST', '/api/user/totp/confirm')).toEqual([{ code: '123456' }]);
    expect(kept.getAllByRole('listitem').map((item) => item.textContent)).toEqual(codes);
    await app.user.keyboard('{Escape}');
    expect(screen.getByRole('dialog', { name: '保存恢复码' })).toBeTruthy();
    await app.user.click(kept.getByRole('button', { name: '我已保存' }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: '保存恢复码' })).toBeNull());
  });

  it('the password that one dialog took need not be given in the next', async () => {
    let proven = false;
    const app = await open(
      {},
      {
        override: ({ path }) => {
          if (path === '/api/user/sessions')
            return ok(sessions.map((session) => ({ ...session, proven_time: proven ? now : 0 })));
          if (path !== '/api/user/totp/setup') return undefined;
          proven = true;
          return refuse('数据库正忙');
        },
      },
    );
    await app.user.click(card('两步验证').getByRole('button', { name: '启用两步验证' }));
    const start = await dialog('启用两步验证');
    expect(await start.findByText(/请输入当前密码/)).toBeTruthy();
    await app.user.click(start.getByRole('button', { name: '继续' }));
    expect(await start.findByText('刚刚输入过密码，可以留空')).toBeTruthy();
  });

  it('asks once more for what could not be read, says so and leaves the cards where they are', async () => {
    const app = await open({}, { override: ({ path }) => (path === '/api/user/sessions' ? refuse('读取失败') : undefined) });
    const asked = () => app.calls.filter(({ path }) => path === '/api/user/sessions').length;
    await waitFor(() => expect(asked()).toBe(2));
    await app.user.click(within(await screen.findByRole('alert')).getByRole('button', { name: '重试' }));
    await waitFor(() => expect(asked()).toBe(3));
    expect(within(await screen.findByRole('alert')).getByText(/读取失败/)).toBeTruthy();
    expect(card('个人资料').getByLabelText('显示名称')).toBeTruthy();
  });

  it('sessions name their devices; all others end together after a question', async () => {
    const app = await open({}, { override: ({ method }) => (method === 'DELETE' ? ok(1) : undefined) });
    const devices = card('登录设备').getAllByRole('listitem');
    expect(devices[0]?.textContent).toContain('Chrome · Linux当前设备');
    expect(within(devices[0] ?? document.body).queryByRole('button')).toBeNull();
    expect(within(devices[1] ?? document.body).getByRole('button', { name: '退出 Safari · iOS' })).toBeTruthy();
    await app.user.click(card('登录设备').getByRole('button', { name: '退出所有其他设备' }));
    await app.user.click((await dialog('退出所有其他设备？')).getByRole('button', { name: '退出所有其他设备' }));
    expect(await screen.findByText('已退出 1 个设备')).toBeTruthy();
    expect(app.calls.some((call) => call.method === 'DELETE' && call.path === '/api/user/sessions')).toBe(true);
  });

  it('a passkey is renamed and deleted by its name', async () => {
    const app = await open();
    await app.user.click(card('通行密钥').getByRole('button', { name: '重命名 办公电脑' }));
    const box = await dialog('重命名 办公电脑');
    await app.user.clear(box.getByLabelText('名称'));
    await app.user.click(box.getByRole('button', { name: '保存' }));
    expect(box.getByText('请输入名称')).toBeTruthy();
    await app.user.type(box.getByLabelText('名称'), '家里');
    await app.user.click(box.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.sent('PUT', '/api/user/passkey/3')).toEqual([{ name: '家里' }]));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: '重命名 办公电脑' })).toBeNull());
    await app.user.click(card('通行密钥').getByRole('button', { name: '删除 办公电脑' }));
    await app.user.click((await dialog('删除通行密钥「办公电脑」？')).getByRole('button', { name: '删除' }));
    await waitFor(() =>
      expect(app.calls.some((call) => call.method === 'DELETE' && call.path === '/api/user/passkey/3')).toBe(true),
    );
  });
});

describe('invite earnings', () => {
  it('move from one unit up to what is pending', () => {
    expect(transferFault('0.99', 5_000_000, format)).toBe('划转金额最低为 $1.00');
    expect(transferFault('x', 5_000_000, format)).toBe('划转金额最低为 $1.00');
    expect(transferFault('1', 5_000_000, format)).toBeUndefined();
    expect(transferFault('10.01', 5_000_000, format)).toBe('最多可划转 $10.00');
  });

  it('all of them move unless less is typed; the link carries the code', async () => {
    const app = await open({ aff_quota: 750_000, aff_count: 3, aff_history_quota: 1_000_000 });
    expect(card('邀请').getByLabelText<HTMLInputElement>('邀请链接').value).toBe('https://gate.example.com/register?aff=Ab3d');
    await app.user.click(card('邀请').getByRole('button', { name: '划转到余额' }));
    const box = await dialog('划转邀请收益');
    expect(box.getByLabelText<HTMLInputElement>('划转金额').value).toBe('1.5');
    await app.user.click(box.getByRole('button', { name: '划转到余额' }));
    await waitFor(() => expect(app.sent('POST', '/api/user/aff_transfer')).toEqual([{ quota: 750_000 }]));
  });

  it('say why they do not move while there is less than one unit', async () => {
    const app = await open({ aff_quota: 499_999 });
    await app.user.click(card('邀请').getByRole('button', { name: '划转到余额' }));
    const box = await dialog('划转邀请收益');
    await app.user.click(box.getByRole('button', { name: '划转到余额' }));
    await box.findByText('划转金额最低为 $1.00');
    expect(app.sent('POST', '/api/user/aff_transfer')).toEqual([]);
  });

  it('have nothing to press while there are none', async () => {
    await open({ aff_quota: 0 });
    expect(card('邀请').getByRole('button', { name: '划转到余额' }).hasAttribute('disabled')).toBe(true);
  });
});

it('shows ten of the own models, all of them on request', async () => {
  const models = Array.from({ length: 13 }, (_, index) => `model-${index}`);
  const app = await open({}, { override: ({ path }) => (path === '/api/user/models' ? ok(models) : undefined) });
  expect(card('可用模型').getAllByRole('listitem')).toHaveLength(10);
  await app.user.click(card('可用模型').getByRole('button', { name: '展开全部 13 个' }));
  expect(card('可用模型').getAllByRole('listitem')).toHaveLength(13);
  await app.user.click(card('可用模型').getByRole('button', { name: '收起' }));
  expect(card('可用模型').getAllByRole('listitem')).toHaveLength(10);
});

describe('deleting the own account', () => {
  it('takes the typed username, then forgets the user', async () => {
    const app = await open();
    localStorage.setItem('playground:7', '{}');
    await app.user.click(card('删除账户').getByRole('button'));
    const box = await dialog('删除账户');
    await app.user.type(box.getByLabelText('输入您的账户名 lihua 以确认删除'), 'Lihua');
    await app.user.click(box.getByRole('button', { name: '删除我的账户' }));
    expect(box.getByText('请输入您的账户名以确认删除！')).toBeTruthy();
    expect(app.calls.some((call) => call.method === 'DELETE')).toBe(false);
    await app.user.clear(box.getByLabelText(/以确认删除/));
    await app.user.type(box.getByLabelText(/以确认删除/), 'lihua{Enter}');
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/login'));
    expect(app.calls.some((call) => call.method === 'DELETE' && call.path === '/api/user/self')).toBe(true);
    expect(localStorage.getItem('user')).toBeNull();
    await waitFor(() => expect(localStorage.getItem('playground:7')).toBeNull());
  });

  it('stays when the server refuses, and is not offered to root', async () => {
    const app = await open(
      {},
      { override: ({ method }) => (method === 'DELETE' ? refuse('不能删除超级管理员账户') : undefined) },
    );
    await app.user.click(card('删除账户').getByRole('button'));
    const box = await dialog('删除账户');
    await app.user.type(box.getByLabelText(/以确认删除/), 'lihua{Enter}');
    expect(await box.findByText('不能删除超级管理员账户')).toBeTruthy();
    expect(localStorage.getItem('user')).not.toBeNull();
  });

  it('is not offered to root', async () => {
    await open(userOf(root), { signedIn: root });
    expect(screen.queryByRole('region', { name: '删除账户' })).toBeNull();
  });
});

it('says when the account cannot be read', async () => {
  renderApp('/setting', {
    signedIn: common,
    override: ({ path }) => (path === '/api/user/self' ? refuse('用户信息无效') : undefined),
  });
  expect(await screen.findByText(/用户信息无效/)).toBeTruthy();
  expect(notices.get()).toEqual([]);
});
