import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { common, root, status as standard } from '../../test/fixtures.ts';
import { ok, refuse } from '../../test/mock-api.ts';
import { operations } from '../../test/operations.ts';
import { enabledButton, renderApp } from '../../test/render.tsx';
import { menuFor } from './menu.ts';

describe('the shell', () => {
  it('switches the language of everything on screen without a reload, and remembers it', async () => {
    const app = renderApp('/token', { signedIn: common });
    await screen.findByText('VS Code');
    await app.user.click(screen.getByRole('button', { name: '语言' }));
    await app.user.click(await screen.findByRole('menuitem', { name: 'English' }));
    expect(await screen.findByRole('heading', { name: 'Tokens' })).toBeTruthy();
    expect(screen.getByRole('columnheader', { name: 'Remaining' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Logs' })).toBeTruthy();
    expect(document.title).toBe('Tokens · Tollgate');
    expect(document.documentElement.lang).toBe('en');
    expect(localStorage.getItem('i18nextLng')).toBe('en');
    expect(document.body.textContent).not.toContain('令牌');
    // Nothing was asked for again: all that was, late calls of the page too, was asked for in Chinese.
    expect(app.calls.filter(({ headers }) => headers.get('Accept-Language') !== 'zh-CN')).toEqual([]);
  });

  it('keeps what was typed across a language switch', async () => {
    const app = renderApp('/login');
    await app.user.type(await screen.findByLabelText('用户名或邮箱'), 'lihua');
    await app.user.click(screen.getByRole('button', { name: '语言' }));
    await app.user.click(await screen.findByRole('menuitem', { name: 'English' }));
    expect((await screen.findByLabelText<HTMLInputElement>('Username or e-mail')).value).toBe('lihua');
  });

  it('switches the theme and remembers it', async () => {
    const app = renderApp('/');
    await app.user.click(await screen.findByRole('button', { name: '主题' }));
    const menu = within(await screen.findByRole('menu', { name: '主题' }));
    await app.user.click(menu.getByRole('menuitem', { name: '深色' }));
    expect(document.documentElement.dataset.theme).toBe('dark');
    expect(localStorage.getItem('theme-mode')).toBe('dark');
  });

  it('shows each role its own menu', async () => {
    expect(menuFor(0, undefined).map((entry) => entry.to)).toEqual(['/', '/pricing', '/docs/$']);
    expect(menuFor(1, undefined).map((entry) => entry.to)).toEqual([
      '/',
      '/playground',
      '/token',
      '/log',
      '/pricing',
      '/topup',
      '/announcement',
      '/docs/$',
      '/setting',
    ]);
    const admin = [
      '/',
      '/playground',
      '/token',
      '/log',
      '/pricing',
      '/channel',
      '/route',
      '/user',
      '/redemption',
      '/payment',
      '/topup',
      '/announcement',
      '/docs/$',
      '/setting',
    ];
    expect(menuFor(10, undefined).map((entry) => entry.to)).toEqual(admin);
    expect(menuFor(100, undefined).map((entry) => entry.to)).toEqual(
      admin.toSpliced(-2, 0, '/audit', '/ledger', '/doctor', '/import'),
    );
    renderApp('/token', { signedIn: root });
    const link = await screen.findByRole('link', { name: '令牌' });
    expect(link.getAttribute('aria-current')).toBe('page');
    const manage = within(screen.getByRole('list', { name: '管理' }));
    expect(manage.getByRole('link', { name: '渠道' })).toBeTruthy();
    expect(manage.queryByRole('link', { name: '令牌' })).toBeNull();
  });

  it('marks the first part of the settings as open where none is named', async () => {
    renderApp('/setting', { signedIn: root });
    expect((await screen.findByRole('link', { name: '个人设置' })).getAttribute('aria-current')).toBe('page');
    expect(screen.getByRole('link', { name: '运营设置' }).getAttribute('aria-current')).toBeNull();
  });

  it('shows nothing of selling where the gateway is for its owner alone', async () => {
    const own = { ...standard, self_use_mode_enabled: true };
    const gone = ['/topup', '/redemption', '/payment', '/pricing'];
    const all = menuFor(100, standard).map((entry) => entry.to);
    expect(menuFor(100, own).map((entry) => entry.to)).toEqual(all.filter((to) => !gone.includes(to)));
    renderApp('/token/add', { signedIn: common, status: { self_use_mode_enabled: true } });
    const form = await screen.findByRole('dialog');
    expect(await within(form).findByLabelText(/^名称/)).toBeTruthy();
    await waitFor(() => expect(within(form).queryByLabelText(/^分组/)).toBeNull());
    expect(screen.queryByRole('link', { name: '模型价格' })).toBeNull();
  });

  it('shows the balance in the unit of the site', async () => {
    renderApp('/token', { signedIn: common, status: { display_in_currency: false } });
    expect(await screen.findByText('61.7M')).toBeTruthy();
  });

  it("shows the operator's footer without anything that runs", async () => {
    renderApp('/', { status: { footer_html: '<b>Example <img src=x onerror=alert(1)>Ltd</b><script>alert(2)</script>' } });
    const footer = await screen.findByRole('contentinfo');
    await waitFor(() => expect(footer.textContent).toBe('Example Ltd'));
    expect(footer.querySelector('b')).not.toBeNull();
    expect(footer.querySelector('script, [onerror], [src]')).toBeNull();
  });

  it("shows the operator's documentation on top and in the drawer of phones, in a page of its own", async () => {
    const docs_link = 'https://docs.example.com/start';
    const app = renderApp('/about', { status: { docs_link } });
    const bar = within(await screen.findByRole('banner'));
    const link = await bar.findByRole('link', { name: '文档' });
    expect([link.getAttribute('href'), link.getAttribute('target'), link.getAttribute('rel')]).toEqual([
      docs_link,
      '_blank',
      'noopener',
    ]);
    await app.user.click(bar.getByRole('button', { name: '打开菜单' }));
    const drawer = within(await screen.findByRole('dialog'));
    expect(drawer.getByRole('link', { name: '文档 · docs.example.com' }).getAttribute('href')).toBe(docs_link);
    await app.user.click(drawer.getByRole('button', { name: '关闭' }));
    await app.user.click(screen.getByRole('button', { name: '语言' }));
    await app.user.click(await screen.findByRole('menuitem', { name: 'English' }));
    expect(await bar.findByRole('link', { name: 'Docs' })).toBeTruthy();
  });

  it.each(['', 'javascript:alert(1)', 'mailto:a@example.com', '//other.example.com', 'no address'])(
    'shows no documentation on top for %j',
    async (docs_link) => {
      renderApp('/about', { status: { docs_link } });
      const bar = within(await screen.findByRole('banner'));
      await bar.findByRole('link', { name: '关于' });
      expect(bar.queryByRole('link', { name: '文档' })).toBeNull();
    },
  );

  it('names the page that does not exist', async () => {
    renderApp('/nowhere', { signedIn: common });
    expect(await screen.findByRole('heading', { name: '页面不存在' })).toBeTruthy();
    expect(screen.getByRole('link', { name: '返回首页' })).toBeTruthy();
  });

  it.each(
    ['/token/edit', '/token/use', '/channel/edit', '/channel/upstream', '/channel/health', '/redemption/edit', '/user/edit']
      .concat('/agent/manage/edit')
      .flatMap((path) => ['abc', '0', '1.5'].map((id) => `${path}/${id}`)),
  )('says that there is no %s, and asks the server for none', async (path) => {
    const app = renderApp(path, { signedIn: root });
    expect(await screen.findByRole('heading', { name: '页面不存在' })).toBeTruthy();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(app.calls.filter((call) => /NaN|abc|\/(0|1\.5)$/.test(call.path))).toEqual([]);
  });

  it('says that a page broke, keeps the rest, and tries again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    let broken = true;
    const app = renderApp('/redemption', {
      signedIn: root,
      override: ({ path }) => (path === '/api/redemption' && broken ? ok([null]) : undefined),
    });
    expect(await screen.findByRole('heading', { name: '页面出错了' })).toBeTruthy();
    expect(screen.getByRole('link', { name: '日志' })).toBeTruthy();
    broken = false;
    await app.user.click(screen.getByRole('button', { name: '重试' }));
    expect(await screen.findByText('开业活动')).toBeTruthy();
  });

  it('leaves a form as it is when the session has ended and its changes are not to be lost', async () => {
    const app = renderApp('/channel/edit/46', {
      signedIn: root,
      override: ({ method }) => (method === 'PUT' ? refuse('未登录', 401) : undefined),
    });
    const field = await screen.findByLabelText<HTMLInputElement>(/^名称/);
    await app.user.type(field, ' 2');
    await app.user.click(screen.getByRole('button', { name: '保存' }));
    const question = within(await screen.findByRole('dialog', { name: '放弃未保存的修改？' }));
    await app.user.click(question.getByRole('button', { name: '取消' }));
    await waitFor(() => expect(screen.getByLabelText(/^名称/)).toBe(field));
    expect(field.value).toBe('主线路 2');
    expect(app.router.state.location.pathname).toBe('/channel/edit/46');
  });

  it('keeps what was typed for whoever signs in again in another window', async () => {
    let isExpired = true;
    const app = renderApp('/channel/edit/46', {
      signedIn: root,
      override: ({ method }) => (method === 'PUT' && isExpired ? refuse('未登录', 401) : undefined),
    });
    const field = await screen.findByLabelText<HTMLInputElement>(/^名称/);
    await app.user.type(field, ' 2');
    await app.user.click(screen.getByRole('button', { name: '保存' }));
    const question = within(await screen.findByRole('dialog', { name: '放弃未保存的修改？' }));
    await app.user.click(question.getByRole('button', { name: '取消' }));
    isExpired = false;
    localStorage.setItem('user', JSON.stringify(root));
    act(() => void dispatchEvent(new StorageEvent('storage', { key: 'user' })));
    await screen.findByRole('navigation', { name: '主菜单', hidden: true });
    await app.user.type(field, '3');
    expect([field.isConnected, field.value]).toEqual([true, '主线路 23']);
    const read = () => app.calls.filter(({ method, path }) => method === 'GET' && path === '/api/channel').length;
    const before = read();
    await app.user.click(await enabledButton('保存'));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/channel'));
    expect(app.sent('PUT', '/api/channel').at(-1)).toMatchObject({ name: '主线路 23' });
    await waitFor(() => expect(read()).toBeGreaterThan(before));
  });

  it('asks before the session is ended under a form with changes', async () => {
    const app = renderApp('/setting?tab=other', { signedIn: root, override: operations });
    const field = await screen.findByLabelText<HTMLInputElement>(/^系统名称/);
    await app.user.type(field, ' 2');
    const leave = async () => {
      await app.user.click(screen.getByRole('button', { name: /^用户菜单/ }));
      await app.user.click(await screen.findByRole('menuitem', { name: '退出登录' }));
      return within(await screen.findByRole('dialog', { name: '放弃未保存的修改？' }));
    };
    await app.user.click((await leave()).getByRole('button', { name: '取消' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(app.calls.some(({ path }) => path === '/api/user/logout')).toBe(false);
    expect([field.isConnected, field.value.endsWith(' 2')]).toEqual([true, true]);
    await app.user.click((await leave()).getByRole('button', { name: '放弃修改' }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/login'));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('works without the status object', async () => {
    renderApp('/login', { override: ({ path }) => (path === '/api/status' ? refuse('down', 503) : undefined) });
    expect(await screen.findByRole('heading', { name: '登录' })).toBeTruthy();
  });

  it('tells visitors where programs connect', async () => {
    const app = renderApp('/');
    expect(await screen.findByText('https://gate.example.com/v1')).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: 'Python' }));
    await waitFor(() => expect(document.body.textContent).toContain('base_url="https://gate.example.com/v1"'));
  });
});
