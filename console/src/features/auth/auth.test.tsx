import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { loginBody, registerBody } from '@tollgate/contract';
import { describe, expect, it, vi } from 'vitest';
import { common, root, tokens } from '../../../test/fixtures.ts';
import { ok, refuse, refuseFor } from '../../../test/mock-api.ts';
import { renderApp, seeNotice } from '../../../test/render.tsx';
import { getSession } from '../../api/session.ts';
import { registerFaults } from './model.ts';

async function signIn(app: ReturnType<typeof renderApp>, username: string, password: string) {
  await app.user.type(await screen.findByLabelText('用户名或邮箱'), username);
  await app.user.type(screen.getByLabelText('密码'), password);
  await app.user.click(within(screen.getByRole('main')).getByRole('button', { name: '登录' }));
}

describe('signing in', () => {
  it('sends what was typed, remembers the user without secrets and goes to the tokens', async () => {
    const app = renderApp('/login', { user: { ...common, password: 'x' } as typeof common });
    await signIn(app, '  lihua ', 'correct horse');
    expect(await screen.findByText(tokens[0]?.name ?? '')).toBeTruthy();
    expect(app.sent('POST', '/api/user/login')).toEqual([{ username: 'lihua', password: 'correct horse' }]);
    expect(loginBody.safeParse(app.sent('POST', '/api/user/login')[0]).success).toBe(true);
    expect(app.router.state.location.pathname).toBe('/token');
    expect(JSON.parse(localStorage.getItem('user') ?? '{}')).not.toHaveProperty('password');
    expect(app.calls.at(-1)?.headers.get('New-Api-User')).toBe('7');
  });

  it('goes from the name to the password by Tab, and works without a mouse', async () => {
    const app = renderApp('/login');
    await app.user.click(await screen.findByLabelText('用户名或邮箱'));
    await app.user.keyboard('lihua{Tab}correct horse{Enter}');
    await waitFor(() => expect(app.sent('POST', '/api/user/login')).toEqual([{ username: 'lihua', password: 'correct horse' }]));
  });

  it('lets in also while the site cannot say what it offers', async () => {
    const app = renderApp('/login', { override: ({ path }) => (path === '/api/status' ? refuse('x') : undefined) });
    await signIn(app, 'lihua', 'correct horse');
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/token'));
    expect((await screen.findByRole('alert')).textContent).toBe('站点状态加载失败');
  });

  it('asks for both fields before it calls the server', async () => {
    const app = renderApp('/login');
    await signIn(app, ' ', ' ');
    await app.user.clear(screen.getByLabelText('密码'));
    await app.user.click(within(screen.getByRole('main')).getByRole('button', { name: '登录' }));
    expect(screen.getAllByText('请输入用户名和密码！')).toHaveLength(2);
    expect(screen.getByLabelText('用户名或邮箱').getAttribute('aria-invalid')).toBe('true');
    expect(app.sent('POST', '/api/user/login')).toEqual([]);
  });

  it("shows the server's refusal and stays", async () => {
    const app = renderApp('/login', {
      override: ({ path }) => (path === '/api/user/login' ? refuse('用户名或密码错误，或用户已被封禁') : undefined),
    });
    await signIn(app, 'lihua', 'wrong');
    expect((await screen.findByRole('alert')).textContent).toContain('用户名或密码错误，或用户已被封禁');
    expect(getSession()).toBeUndefined();
  });

  it('says how long to wait when it came too often, and the button waits with it', async () => {
    const app = renderApp('/login', { override: ({ path }) => (path === '/api/user/login' ? refuseFor(2) : undefined) });
    await signIn(app, 'lihua', 'wrong');
    expect((await screen.findByRole('alert')).textContent).toBe('错误：请求次数过多，请等待2秒后再试！');
    const waiting = await screen.findByRole('button', { name: '2秒后重试' });
    await app.user.click(waiting);
    await app.user.type(screen.getByLabelText('密码'), '{Enter}');
    expect(app.sent('POST', '/api/user/login')).toHaveLength(1);
    vi.setSystemTime(Date.now() + 2000);
    await waitFor(() => expect(waiting.textContent).toBe('登录'));
    await app.user.click(waiting);
    await waitFor(() => expect(app.sent('POST', '/api/user/login')).toHaveLength(2));
  });

  it('says that the session expired and returns to where it ended', async () => {
    let isBack = false;
    const app = renderApp('/log?type=2', {
      signedIn: common,
      override({ path }) {
        isBack ||= path === '/api/user/login';
        return path === '/api/log/self' && !isBack ? refuse('x', 401) : undefined;
      },
    });
    expect(await screen.findByText('未登录或登录已过期，请重新登录！')).toBeTruthy();
    expect(app.router.state.location.href).toBe('/login?expired=true&redirect=%2Flog%3Ftype%3D2');
    await signIn(app, 'lihua', 'correct horse');
    await waitFor(() => expect(app.router.state.location.href).toBe('/log?type=2'));
  });

  it('signs nobody in before the second step, then whom the server names', async () => {
    const first = { ...common, id: 0, username: '', totp_required: true, ticket: 'ticket-1' } as typeof common;
    let wrong = true;
    const app = renderApp('/login', {
      user: first,
      override: ({ path }) => {
        if (path !== '/api/user/totp/login') return undefined;
        if (!wrong) return ok(common);
        wrong = false;
        return refuse('两步验证码错误或已过期');
      },
    });
    await signIn(app, 'lihua', 'correct horse');
    const code = await screen.findByLabelText('验证码或恢复码');
    expect(getSession()).toBeUndefined();
    await app.user.click(screen.getByRole('button', { name: '验证' }));
    expect(screen.getByText('请输入验证码！')).toBeTruthy();
    await app.user.type(code, '123456{Enter}');
    expect(await screen.findByText('两步验证码错误或已过期')).toBeTruthy();
    expect(getSession()).toBeUndefined();
    await app.user.clear(code);
    await app.user.type(code, 'abcde-fghjk{Enter}');
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/token'));
    expect(app.sent('POST', '/api/user/totp/login').at(-1)).toEqual({ ticket: 'ticket-1', code: 'abcde-fghjk' });
    expect(getSession()?.username).toBe('lihua');
  });

  it('is asked of visitors before any console page', async () => {
    const app = renderApp('/channel/edit/3');
    expect(await screen.findByRole('heading', { name: '登录' })).toBeTruthy();
    expect(app.router.state.location.search).toEqual({ redirect: '/channel/edit/3' });
    await waitFor(() => expect(app.calls.map((call) => call.path)).toEqual(['/api/status']));
  });
});

describe('the default password', () => {
  it('must be changed before anything else works; then the way goes on', async () => {
    const app = renderApp('/login?redirect=%2Flog', { user: { ...root, must_change_password: true } });
    await signIn(app, 'root', '123456');
    const dialog = await screen.findByRole('dialog', { name: '您正在使用默认密码！' });
    expect(within(dialog).queryByLabelText('当前密码')).toBeNull();
    await app.user.type(within(dialog).getByLabelText('新密码'), 'short');
    await app.user.click(within(dialog).getByRole('button', { name: '修改密码' }));
    expect(within(dialog).getByText('密码长度不得小于 8 位！')).toBeTruthy();
    await app.user.type(within(dialog).getByLabelText('新密码'), ' but long enough');
    await app.user.type(within(dialog).getByLabelText('再次输入密码'), 'short but long enough');
    await app.user.click(within(dialog).getByRole('button', { name: '修改密码' }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/log'));
    expect(app.sent('PUT', '/api/user/self')).toEqual([
      { username: '', display_name: '', password: 'short but long enough', original_password: '123456' },
    ]);
    expect(getSession()?.must_change_password).toBe(false);
  });

  it('can be changed also where the dialog is here before the sign-in is over: nothing that is typed by then is lost', async () => {
    const app = renderApp('/login', { user: { ...root, must_change_password: true } });
    const self = Promise.withResolvers<void>();
    const stub = globalThis.fetch;
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
      if (url === '/api/user/self') await self.promise;
      return stub(url, init);
    });
    await signIn(app, 'root', '123456');
    await app.user.type(await screen.findByLabelText('新密码'), 'long enough');
    expect(screen.queryByLabelText('当前密码')).toBeNull();
    self.resolve();
    await app.user.type(screen.getByLabelText('再次输入密码'), 'long enough');
    await app.user.click(screen.getByRole('button', { name: '修改密码' }));
    await waitFor(() =>
      expect(app.sent('PUT', '/api/user/self')).toMatchObject([{ original_password: '123456', password: 'long enough' }]),
    );
  });

  it('is asked for again after a reload, and nothing else loads before', async () => {
    const app = renderApp('/token', { signedIn: { ...root, must_change_password: true } });
    const dialog = await screen.findByRole('dialog');
    expect(await within(dialog).findByLabelText('当前密码')).toBeTruthy();
    await app.user.click(within(dialog).getByRole('button', { name: '修改密码' }));
    expect(within(dialog).getByText('请输入密码！')).toBeTruthy();
    expect(app.calls.filter((call) => call.path.startsWith('/api/token'))).toEqual([]);
  });
});

it('the default password is recognised even when the server does not say so', async () => {
  const app = renderApp('/login', { user: root });
  await signIn(app, 'root', '123456');
  expect(await screen.findByRole('dialog', { name: '您正在使用默认密码！' })).toBeTruthy();
  expect(app.router.state.location.pathname).toBe('/login');
});

describe('registering', () => {
  it('carries the invite code and leads to the login page, where the name stands already', async () => {
    const app = renderApp('/register?aff=Ab3d');
    await app.user.type(await screen.findByLabelText(/用户名/), 'lihua');
    await app.user.type(screen.getByLabelText(/^密码/), 'correct horse');
    await app.user.type(screen.getByLabelText(/再次输入密码/), 'correct horse');
    await app.user.click(within(screen.getByRole('main')).getByRole('button', { name: '注册' }));
    expect(await screen.findByRole('heading', { name: '登录' })).toBeTruthy();
    expect(screen.getByLabelText('用户名或邮箱')).toHaveProperty('value', 'lihua');
    const [body] = app.sent('POST', '/api/user/register');
    expect(body).toMatchObject({ username: 'lihua', password: 'correct horse', aff_code: 'Ab3d' });
    expect(registerBody.safeParse(body).success).toBe(true);
  });

  it('is for visitors: whoever is signed in would be mailed a code that registers nobody', async () => {
    const app = renderApp('/register?aff=Ab3d', { signedIn: common, status: { email_verification: true } });
    await waitFor(() => expect(app.router.state.location.href).toBe('/token'));
    expect(screen.queryByLabelText(/^邮箱验证码/)).toBeNull();
    // Whose session has ended meanwhile registers by the code all the same.
    expect(localStorage.getItem('aff')).toBe('Ab3d');
  });

  it('has after a reload what was typed, but for what is secret, until the account is there', async () => {
    const verified = { status: { email_verification: true } };
    const before = renderApp('/register', verified);
    await before.user.type(await screen.findByLabelText(/用户名/), 'lihua');
    await before.user.type(screen.getByLabelText(/^密码/), 'correct horse');
    await before.user.type(screen.getByLabelText(/^邮箱(?!验证码)/), 'lihua@example.org');
    await before.user.type(screen.getByLabelText(/^邮箱验证码/), '314159');
    cleanup();
    const app = renderApp('/register', verified);
    expect((await screen.findByLabelText(/用户名/)).getAttribute('value')).toBe('lihua');
    expect(screen.getByLabelText(/^邮箱(?!验证码)/).getAttribute('value')).toBe('lihua@example.org');
    expect(Object.values({ ...sessionStorage, ...localStorage }).join(' ')).not.toMatch(/correct|314159/);
    await app.user.type(screen.getByLabelText(/^密码/), 'correct horse');
    await app.user.type(screen.getByLabelText(/再次输入密码/), 'correct horse');
    await app.user.type(screen.getByLabelText(/^邮箱验证码/), '314159');
    await app.user.click(within(screen.getByRole('main')).getByRole('button', { name: '注册' }));
    expect(await screen.findByRole('heading', { name: '登录' })).toBeTruthy();
    expect(sessionStorage.getItem('register:email')).toBe('');
  });

  it('sends whoever left all empty to the first field of the page', async () => {
    const app = renderApp('/register');
    const name = await screen.findByLabelText(/用户名/);
    await app.user.click(within(screen.getByRole('main')).getByRole('button', { name: '注册' }));
    expect(screen.getByText('请输入用户名！')).toBeTruthy();
    expect(document.activeElement).toBe(name);
  });

  const blank = { username: '', password: '', password2: '', email: '', code: '' };

  it('accepts exactly what the contract accepts', () => {
    const faulty = (username: string, password: string) =>
      Object.values(registerFaults({ ...blank, username, password, password2: password }, false)).some(
        (fault) => fault !== undefined,
      );
    for (const username of ['', ' ', 'a', 'a@b.c', 'x'.repeat(12), 'x'.repeat(13), '𠮷'.repeat(12), '𠮷'.repeat(13)]) {
      for (const password of [
        '',
        '1234567',
        '12345678',
        '𠮷'.repeat(7),
        ...['x', '𠮷'].flatMap((one) => [one.repeat(128), one.repeat(129)]),
      ]) {
        expect(faulty(username, password)).toBe(!registerBody.safeParse({ username, password }).success);
      }
    }
    expect(registerFaults({ ...blank, username: 'a', password: '12345678', password2: '12345679' }, false).password2).toBe(
      '两次输入的密码不一致！',
    );
  });

  it('is not offered where it is switched off', async () => {
    renderApp('/register', { status: { register_enabled: false } });
    expect(await screen.findByText('管理员关闭了新用户注册')).toBeTruthy();
    expect(screen.queryByLabelText(/用户名/)).toBeNull();
  });

  it('leads to the third parties where names and passwords are switched off, and keeps the invite code', async () => {
    renderApp('/register?aff=Ab3d', { status: { password_register: false, github_oauth: true } });
    expect(await screen.findByText('请通过第三方账户登录来注册')).toBeTruthy();
    expect(screen.queryByLabelText(/用户名/)).toBeNull();
    for (const link of screen.getAllByRole('link', { name: '登录' })) expect(link.getAttribute('href')).toMatch(/^\/login/);
    expect(localStorage.getItem('aff')).toBe('Ab3d');
  });
});

it('signing out in another window leads to the login page here too', async () => {
  const app = renderApp('/token', { signedIn: common });
  await screen.findByText('VS Code');
  localStorage.removeItem('user');
  dispatchEvent(new StorageEvent('storage', { key: 'user' }));
  expect(await screen.findByRole('heading', { name: '登录' })).toBeTruthy();
  expect(app.router.state.location.href).toBe('/login?redirect=%2Ftoken');
});

it('signing out is over when the server says so: while the session may live on it is said, and can be tried again', async () => {
  let status = 429;
  const app = renderApp('/token', {
    signedIn: common,
    override: ({ path }) =>
      path.endsWith('/logout') ? refuse('down', status) : path === '/api/user/self' ? ok({ quota: 0 }) : undefined,
  });
  const leave = async () => {
    await app.user.click(await screen.findByRole('button', { name: '用户菜单：李华' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '退出登录' }));
  };
  await leave();
  await seeNotice(/^尚未退出登录，请重试：/);
  expect(localStorage.getItem('user')).not.toBeNull();
  // The session is somebody else's by now.
  status = 401;
  await leave();
  expect(await screen.findByRole('heading', { name: '登录' })).toBeTruthy();
  expect(localStorage.getItem('user')).toBeNull();
});
