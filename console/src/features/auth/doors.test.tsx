import { screen, waitFor, within } from '@testing-library/react';
import { registerBody } from '@tollgate/contract';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { common, userOf } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { renderApp, seeNotice } from '../../../test/render.tsx';
import { getSession } from '../../api/session.ts';
import { fieldsOf } from '../../ui/signin/TelegramFrame.tsx';

describe('coming back from a provider', () => {
  it('signs in whom the server names, once, and leads to the tokens', async () => {
    const app = renderApp('/oauth/github?code=c1&state=s1', {
      override: ({ path }) => (path === '/api/oauth/github' ? ok(common) : undefined),
    });
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/token'));
    expect(getSession()?.username).toBe('lihua');
    const calls = app.calls.filter((call) => call.path === '/api/oauth/github');
    expect(calls.map((call) => call.query)).toEqual([{ code: 'c1', state: 's1' }]);
  });

  it('an answer without a user is a binding and leads to the settings', async () => {
    const app = renderApp('/oauth/linuxdo?code=c1&state=s1', {
      signedIn: common,
      override: ({ path }) => (path === '/api/oauth/linuxdo' ? ok() : undefined),
    });
    await waitFor(() => expect(app.router.state.location.href).toBe('/setting?tab=personal'));
    expect(await screen.findByText('Linux DO 账户绑定成功！')).toBeTruthy();
    expect(getSession()?.username).toBe('lihua');
  });

  it('a refusal is shown and leads to the settings', async () => {
    const app = renderApp('/oauth/oidc?error=access_denied&state=s1', {
      signedIn: common,
      override: ({ path }) => (path === '/api/oauth/oidc' ? refuse('第三方登录未完成: access_denied') : undefined),
    });
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/setting'));
    await seeNotice('第三方登录未完成: access_denied');
  });

  it('asks for the second step of an account that has one', async () => {
    const app = renderApp('/oauth/github?code=c1&state=s1', {
      override: ({ path }) => {
        if (path === '/api/oauth/github') return ok({ ...common, id: 0, totp_required: true, ticket: 't1' });
        return path === '/api/user/totp/login' ? ok(common) : undefined;
      },
    });
    await app.user.type(await screen.findByLabelText('验证码或恢复码'), '123456{Enter}');
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/token'));
    expect(app.sent('POST', '/api/user/totp/login')).toEqual([{ ticket: 't1', code: '123456' }]);
  });

  it('knows no other providers', async () => {
    const app = renderApp('/oauth/elsewhere?code=c1&state=s1');
    expect(await screen.findByRole('heading', { name: '页面不存在' })).toBeTruthy();
    expect(app.calls.some((call) => call.path.startsWith('/api/oauth'))).toBe(false);
  });
});

describe('other doors', () => {
  it('are those that the operator switched on', async () => {
    renderApp('/login', { status: { github_oauth: true, wechat_login: true } });
    const doors = within(await screen.findByRole('region', { name: '其他登录方式' }));
    expect(doors.getAllByRole('button').map((button) => button.textContent)).toEqual(['使用 GitHub 登录', '使用微信登录']);
  });

  it('a provider opens in a new window that cannot reach back, with the invite code', async () => {
    const page = { opener: window as unknown, location: { replace: vi.fn() }, close: vi.fn() };
    const open = vi.fn(() => page);
    vi.stubGlobal('open', open);
    onTestFinished(() => void vi.unstubAllGlobals());
    localStorage.setItem('aff', 'Ab3d');
    const app = renderApp('/login', {
      status: { github_oauth: true },
      override: ({ path }) => (path === '/api/oauth/authorize' ? ok('https://github.com/login/oauth/authorize?x=1') : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '使用 GitHub 登录' }));
    await waitFor(() => expect(page.location.replace).toHaveBeenCalledWith('https://github.com/login/oauth/authorize?x=1'));
    expect(page.opener).toBeNull();
    expect(app.calls.find((call) => call.path === '/api/oauth/authorize')?.query).toEqual({ provider: 'github', aff: 'Ab3d' });
  });

  it('one press opens one window: the second waits for the answer to the first', async () => {
    const open = vi.fn(() => ({ location: { replace: vi.fn() }, close: vi.fn() }));
    vi.stubGlobal('open', open);
    onTestFinished(() => void vi.unstubAllGlobals());
    const app = renderApp('/login', { status: { github_oauth: true } });
    const others = globalThis.fetch;
    vi.stubGlobal('fetch', (url: string, init?: RequestInit) =>
      url.startsWith('/api/oauth/authorize') ? new Promise(() => undefined) : others(url, init),
    );
    await app.user.dblClick(await screen.findByRole('button', { name: /GitHub/ }));
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('a code of the public account signs in and leads home', async () => {
    const app = renderApp('/login', {
      status: { wechat_login: true, wechat_qrcode: 'https://example.org/qr.png' },
      override: ({ path, query }) => {
        if (path !== '/api/oauth/wechat') return undefined;
        return query.code === '1234' ? ok(common) : refuse('验证码错误或已过期');
      },
    });
    await app.user.click(await screen.findByRole('button', { name: '使用微信登录' }));
    const opened = async () => within(await screen.findByRole('dialog', { name: '微信扫码' }));
    const dialog = await opened();
    expect(dialog.getByRole('img', { name: '公众号二维码' })).toBeTruthy();
    await app.user.type(dialog.getByLabelText('验证码'), '99{Enter}');
    expect(dialog.getByText('请输入公众号发来的验证码')).toBeTruthy();
    await app.user.type(dialog.getByLabelText('验证码'), '99{Enter}');
    expect(await dialog.findByText('验证码错误或已过期')).toBeTruthy();
    await app.user.click(dialog.getByRole('button', { name: '取消' }));
    await app.user.click(screen.getByRole('button', { name: '使用微信登录' }));
    const again = await opened();
    expect(again.queryByText('验证码错误或已过期')).toBeNull();
    await app.user.type(again.getByLabelText('验证码'), '1234{Enter}');
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/'));
    expect(getSession()?.username).toBe('lihua');
  });

  it("takes only the messenger's own signed fields from its frame", () => {
    const data = { id: 42, first_name: 'Li', auth_date: 1, hash: 'ab', extra: { nested: true } };
    expect(fieldsOf(JSON.stringify({ event: 'auth_user', auth_data: data }))).toEqual({
      id: '42',
      first_name: 'Li',
      auth_date: '1',
      hash: 'ab',
    });
    for (const other of ['{"event":"resize","height":40}', '{"event":"auth_user","auth_data":null}', 'x', { event: 'auth_user' }])
      expect(fieldsOf(other)).toBeUndefined();
  });
});

describe('registering where mail is verified', () => {
  it('takes the address and the code that was sent to it', async () => {
    const app = renderApp('/register', {
      status: { email_verification: true },
      override: ({ path }) => (path === '/api/verification' ? ok() : undefined),
    });
    const submit = async () => app.user.click(within(screen.getByRole('main')).getByRole('button', { name: '注册' }));
    await app.user.type(await screen.findByLabelText(/^用户名/), 'lihua');
    await app.user.type(screen.getByLabelText(/^密码/), 'correct horse');
    await app.user.type(screen.getByLabelText(/^再次输入密码/), 'correct horse');
    await submit();
    expect(screen.getByText('请输入您的邮箱地址！')).toBeTruthy();
    expect(screen.getByText('请输入邮箱验证码！')).toBeTruthy();
    expect(app.sent('POST', '/api/user/register')).toEqual([]);
    await app.user.type(screen.getByLabelText(/^邮箱\*?$/), 'li@example.org');
    await app.user.click(screen.getByRole('button', { name: '获取验证码' }));
    expect(await screen.findByRole('button', { name: '30 秒后重发' })).toBeTruthy();
    await app.user.type(screen.getByLabelText(/^邮箱验证码/), '123456');
    await submit();
    expect(await screen.findByRole('heading', { name: '登录' })).toBeTruthy();
    const [body] = app.sent('POST', '/api/user/register');
    expect(body).toMatchObject({ username: 'lihua', email: 'li@example.org', verification_code: '123456' });
    expect(registerBody.safeParse(body).success).toBe(true);
  });
});

describe('resetting the password', () => {
  it('answers alike for every address and rests before the next mail', async () => {
    const app = renderApp('/reset', { override: ({ path }) => (path === '/api/reset_password' ? ok() : undefined) });
    await app.user.type(await screen.findByLabelText('邮箱'), 'li@example.org{Enter}');
    expect(await screen.findByText(/如果该邮箱已注册，重置邮件已经发出/)).toBeTruthy();
    expect(screen.getByRole('button', { name: '30 秒后重发' }).hasAttribute('disabled')).toBe(true);
  });

  it('takes addresses that were brought over, which may be longer than new ones', async () => {
    const app = renderApp('/reset', { override: ({ path }) => (path === '/api/reset_password' ? ok() : undefined) });
    const email = `${'e'.repeat(50)}@example.org`;
    await app.user.click(await screen.findByLabelText('邮箱'));
    await app.user.paste(email);
    await app.user.keyboard('{Enter}');
    await screen.findByText(/如果该邮箱已注册，重置邮件已经发出/);
    expect(app.calls.find((call) => call.path === '/api/reset_password')?.query).toEqual({ email });
    await app.user.click(screen.getByRole('link', { name: '返回登录' }));
    const name = await screen.findByLabelText<HTMLInputElement>('用户名或邮箱');
    await app.user.click(name);
    await app.user.paste(email);
    expect(name.value).toBe(email);
  });

  it('makes the new password on a click only, and shows it once', async () => {
    const envelope = { success: true, message: '', data: 'n3wPassw0rd12', passkeys: 2 };
    const app = renderApp('/user/reset?email=li%40example.org&token=secret', {
      override: ({ path }) => (path === '/api/user/reset' ? { status: 200, envelope } : undefined),
    });
    const button = await screen.findByRole('button', { name: '生成新密码' });
    expect(app.sent('POST', '/api/user/reset')).toEqual([]);
    await app.user.click(button);
    expect((await screen.findByLabelText<HTMLInputElement>('新密码')).value).toBe('n3wPassw0rd12');
    expect(app.sent('POST', '/api/user/reset')).toEqual([{ email: 'li@example.org', token: 'secret' }]);
    expect(screen.getByRole('button', { name: '复制新密码' })).toBeTruthy();
    // A door that the new password does not shut.
    expect(screen.getByText(/^此账户仍可用 2 个通行密钥登录/)).toBeTruthy();
  });

  it('leads to a new request when the link is used up or broken', async () => {
    const app = renderApp('/user/reset?email=li%40example.org&token=secret', {
      override: ({ path }) => (path === '/api/user/reset' ? refuse('重置链接非法或已过期') : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '生成新密码' }));
    expect(await screen.findByText('重置链接非法或已过期')).toBeTruthy();
    await app.user.click(screen.getByRole('link', { name: '重新申请重置' }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/reset'));
  });
});

describe('the bot check', () => {
  it('is loaded only where it is switched on; its token goes along once and is renewed', async () => {
    const renders: { callback(token: string): void }[] = [];
    const reset = vi.fn();
    vi.stubGlobal('turnstile', {
      render: (_box: HTMLElement, options: { callback(token: string): void }) => `w${renders.push(options)}`,
      reset,
      remove: () => undefined,
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const append = vi.spyOn(document.head, 'append').mockImplementation((node) => {
      if (node instanceof HTMLScriptElement) queueMicrotask(() => node.onload?.(new Event('load')));
    });
    const app = renderApp('/login', {
      status: { turnstile_check: true, turnstile_site_key: 'site' },
      override: ({ path }) => (path === '/api/user/login' ? refuse('用户名或密码错误，或用户已被封禁') : undefined),
    });
    await waitFor(() => expect(renders).toHaveLength(1));
    expect(append).toHaveBeenCalledTimes(1);
    await app.user.type(await screen.findByLabelText('用户名或邮箱'), 'lihua');
    await app.user.type(screen.getByLabelText('密码'), 'wrong password{Enter}');
    expect(await screen.findByText('请稍后几秒重试，Turnstile 正在检查用户环境！')).toBeTruthy();
    expect(app.sent('POST', '/api/user/login')).toEqual([]);
    renders[0]?.callback('token-1');
    expect(await screen.findByText('环境检查已通过')).toBeTruthy();
    await app.user.click(within(screen.getByRole('main')).getByRole('button', { name: '登录' }));
    await screen.findByText('用户名或密码错误，或用户已被封禁');
    expect(app.calls.find((call) => call.path === '/api/user/login')?.query).toEqual({ turnstile: 'token-1' });
    expect(reset).toHaveBeenCalledTimes(1);
    expect(screen.getByText('正在检查用户环境…')).toBeTruthy();
  });
});

it('a page of settings asks visitors to sign in first', async () => {
  const app = renderApp('/setting?tab=personal', { user: userOf(common) });
  expect(await screen.findByRole('heading', { name: '登录' })).toBeTruthy();
  expect(app.router.state.location.search).toEqual({ redirect: '/setting?tab=personal' });
});
