import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { logType } from '@tollgate/contract';
import { describe, expect, it, vi } from 'vitest';
import { common, logOf, root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { getLanguage, setLanguage } from '../../i18n/language.ts';
import { contentOf } from './content.ts';

describe('a row of the log', () => {
  it('remembers which columns were put away, and brings them back', async () => {
    const app = renderApp('/log', { signedIn: root });
    await screen.findAllByText('gpt-4o');
    await app.user.click(screen.getByRole('button', { name: '选择列' }));
    await app.user.click(await screen.findByRole('menuitemcheckbox', { name: '渠道' }));
    await app.user.click(screen.getByRole('menuitemcheckbox', { name: '令牌' }));
    expect(screen.getByRole('menuitemcheckbox', { name: '渠道' }).getAttribute('aria-checked')).toBe('false');
    await app.user.keyboard('{Escape}');
    expect(screen.queryByRole('columnheader', { name: '渠道' })).toBeNull();
    expect(screen.getByRole('columnheader', { name: '时间' })).toBeTruthy();
    expect(JSON.parse(localStorage.getItem('table:log:v1') ?? '{}')).toEqual({ hidden: ['channel', 'token'] });
    cleanup();
    const again = renderApp('/log', { signedIn: root });
    await screen.findAllByText('gpt-4o');
    expect(screen.queryByRole('columnheader', { name: '令牌' })).toBeNull();
    await again.user.click(screen.getByRole('button', { name: '选择列' }));
    await again.user.click(await screen.findByRole('menuitem', { name: '显示全部列' }));
    expect(await screen.findByRole('columnheader', { name: '令牌' })).toBeTruthy();
  });

  it('names before the channel that answered those that were tried, in one column', async () => {
    const tried = (id: number, channel: number, ...channels: string[]) =>
      logOf({ id, channel, other: JSON.stringify({ admin_info: { use_channel: channels } }) });
    const rows = [tried(3, 5, '4', '5'), tried(2, 7, '7'), tried(1, 9, '9', '9', '9')];
    renderApp('/log', {
      signedIn: root,
      override: ({ path }) => (path === '/api/log' ? ok({ items: rows, page: 1, page_size: 10, total: 3 }) : undefined),
    });
    const cells = (await screen.findAllByRole('link', { name: /^打开渠道/ })).map((link) => link.closest('td')?.textContent);
    expect(cells).toEqual(['#4 → #5', '#7', '#9 → #9 → #9']);
    expect(screen.queryByRole('columnheader', { name: '重试' })).toBeNull();
  });

  it('tells an error of the server in another language as soon as the page has that', async () => {
    const told = () => (getLanguage() === 'en' ? 'No channel is left' : '无可用渠道');
    renderApp('/log', {
      signedIn: root,
      override: ({ path }) => {
        if (path !== '/api/log') return undefined;
        return ok({ items: [logOf({ type: logType.error, content: told() })], page: 1, page_size: 10, total: 1 });
      },
    });
    await screen.findByText('无可用渠道');
    act(() => setLanguage('en'));
    expect(await screen.findByText('No channel is left')).toBeTruthy();
    act(() => setLanguage('zh'));
  });

  it('has no empty lines on the card of what came without a token', async () => {
    vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
    const entry = logOf({ id: 1, type: logType.topup, token_id: 0, token_name: '', user_id: 0, username: '' });
    renderApp('/log', {
      signedIn: root,
      override: ({ path }) => (path === '/api/log' ? ok({ items: [entry], page: 1, page_size: 10, total: 1 }) : undefined),
    });
    await screen.findByText('充值');
    expect(screen.queryAllByRole('definition').filter(({ textContent }) => textContent === '')).toEqual([]);
    vi.unstubAllGlobals();
  });

  it('says on its card what was moved or failed, and of a charge no words that its figures repeat', async () => {
    vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
    const rows = [
      logOf({ id: 3, type: logType.topup, quota: 0, content: '通过兑换码充值 ＄10.00 额度，兑换码ID 3' }),
      logOf({ id: 2, type: logType.error, quota: 0, content: 'all channels failed' }),
      logOf({ id: 1, content: '模型倍率 2.50' }),
    ];
    renderApp('/log', {
      signedIn: root,
      override: ({ path }) => (path === '/api/log' ? ok({ items: rows, page: 1, page_size: 10, total: 3 }) : undefined),
    });
    await screen.findByText(/＄10.00/);
    expect(screen.getByText('all channels failed')).toBeTruthy();
    expect(screen.queryByText('模型倍率 2.50')).toBeNull();
    vi.unstubAllGlobals();
  });

  it('shows an administrator who made a call, and the log of that user', async () => {
    const entry = logOf({ id: 1, user_id: 7, username: 'lihua' });
    const app = renderApp('/log?model=gpt&p=3&before=500', {
      signedIn: root,
      override: ({ path }) => (path === '/api/log' ? ok({ items: [entry], page: 1, page_size: 10, total: 1 }) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '查看用户 lihua' }));
    const dialog = await screen.findByRole('dialog', { name: '用户 lihua' });
    await waitFor(() => expect(app.calls.some(({ path }) => path === '/api/user/7')).toBe(true));
    await within(dialog).findByText('请求次数');
    await app.user.click(within(dialog).getByRole('link', { name: '该用户的日志' }));
    await waitFor(() => expect(app.router.state.location.href).toBe('/log?model=gpt&user=lihua'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('says of who deregistered that they did, and leads to no form for them', async () => {
    const entry = logOf({ id: 1, user_id: 11, username: 'gone' });
    const app = renderApp('/log', {
      signedIn: root,
      override: ({ path }) => (path === '/api/log' ? ok({ items: [entry], page: 1, page_size: 10, total: 1 }) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '查看用户 gone' }));
    const dialog = within(await screen.findByRole('dialog', { name: '用户 gone' }));
    expect(await dialog.findByText('已注销')).toBeTruthy();
    expect(dialog.queryByRole('link', { name: '编辑用户' })).toBeNull();
  });

  const failed = logOf({
    id: 77,
    type: 5,
    channel: 3,
    quota: 0,
    content: 'all channels failed',
    other: JSON.stringify({
      error_code: 'upstream_error',
      status: 503,
      admin_info: { use_channel: ['4', '3'], error: 'overloaded' },
    }),
  });
  const attempt = { key_index: 0, status: 529, error: 'overloaded', start_ms: -1, ms: 40, ttfb_ms: 30 };
  const record = {
    ...{ plan: [], candidates: [], more_candidates: 0, group: 'default', model: 'gpt-4o', seed: 1, version: 1 },
    attempts: [
      { ...attempt, channel_id: 4, upstream_request_id: 'req_up_1' },
      { ...attempt, channel_id: 3, upstream_request_id: '' },
    ],
  };

  it('tells of a call that failed what the caller got, why, and the ids on both sides', async () => {
    const app = renderApp('/log', {
      signedIn: root,
      override({ path }) {
        if (path === '/api/log') return ok({ items: [failed], page: 1, page_size: 10, total: 1 });
        return path === '/api/log/77/route' ? ok(record) : undefined;
      },
    });
    await app.user.click(await screen.findByRole('button', { name: '详情' }));
    for (const text of ['upstream_error', 'HTTP 503', failed.request_id]) expect(screen.getByText(text)).toBeTruthy();
    expect(screen.getAllByText('all channels failed')).toHaveLength(2);
    await waitFor(() => expect(screen.getAllByText('req_up_1')).toHaveLength(2));
    for (const name of ['实际尝试', '候选渠道']) expect(screen.getByRole('table', { name }).parentElement?.tabIndex).toBe(0);
    const bars = within(screen.getByRole('list', { name: '各次尝试的时间轴' })).getAllByRole('listitem');
    expect(bars.map(({ textContent }) => textContent)).toEqual([
      '#1 渠道 4：0–40 毫秒（40 毫秒），失败',
      '#2 渠道 3：40–80 毫秒（40 毫秒），失败',
    ]);
    const [copy] = screen.getAllByRole('button', { name: '复制请求 ID' });
    if (copy) await app.user.click(copy);
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe(failed.request_id));
  });

  it("says that another channel than the conversation's own answered, and why", async () => {
    const strayed = { channel_id: 4, reason: 'breaker_open' };
    const app = renderApp('/log', {
      signedIn: root,
      override({ path }) {
        if (path === '/api/log') return ok({ items: [logOf({ id: 79, channel: 3 })], page: 1, page_size: 10, total: 1 });
        return path === '/api/log/79/route' ? ok({ ...record, strayed }) : undefined;
      },
    });
    await app.user.click(await screen.findByRole('button', { name: '详情' }));
    await app.user.click(screen.getByRole('button', { name: '查看路由过程' }));
    await screen.findByText('会话固定的渠道 #4 没有回答：熔断中');
  });

  it('leads from a call that no channel took to what would become of it now', async () => {
    const row = logOf({ id: 78, type: 5, channel: 0, model_name: 'gpt-4o', group: 'vip', token_id: 9, content: 'no channel' });
    const app = renderApp('/log', {
      signedIn: root,
      override: ({ path }) => (path === '/api/log' ? ok({ items: [row], page: 1, page_size: 10, total: 1 }) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '详情' }));
    await app.user.click(within(screen.getByRole('main')).getByRole('link', { name: '路由解释' }));
    await waitFor(() => expect(app.router.state.location.href).toBe('/route?model=gpt-4o&group=vip&token=9'));
  });

  it('tells where a call came from, and narrows the log to that address', async () => {
    const app = renderApp('/log?user=root&p=2', {
      signedIn: root,
      override: ({ path }) => (path === '/api/log' ? ok({ items: [failed], page: 1, page_size: 10, total: 1 }) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '详情' }));
    await app.user.click(screen.getByRole('link', { name: '203.0.113.24' }));
    const field = await screen.findByRole('searchbox', { name: 'IP' });
    await waitFor(() =>
      expect(app.calls.findLast(({ path }) => path === '/api/log')?.query).toMatchObject({
        username: 'root',
        ip: '203.0.113.24',
        p: '1',
      }),
    );
    await app.user.clear(field);
    await waitFor(() => expect(app.calls.findLast(({ path }) => path === '/api/log')?.query.ip).toBeUndefined());
    expect(screen.queryByRole('searchbox', { name: 'IP' })).toBeNull();
  });

  it('shows the owner of a failed call neither channels nor routes', async () => {
    const own = { ...failed, channel: 0, other: '{"error_code":"upstream_error","status":503}' };
    const app = renderApp('/log', {
      signedIn: common,
      override: ({ path }) => (path === '/api/log/self' ? ok({ items: [own], page: 1, page_size: 10, total: 1 }) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '详情' }));
    expect(screen.getByText('HTTP 503')).toBeTruthy();
    expect(screen.queryByRole('link', { name: '路由解释' })).toBeNull();
    expect(app.calls.some(({ path }) => path.endsWith('/route'))).toBe(false);
  });

  it('says why a user cannot be shown', async () => {
    const app = renderApp('/log', {
      signedIn: root,
      override: ({ path }) => (/^\/api\/user\/\d+$/.test(path) ? refuse('无权获取同级或更高等级用户的信息') : undefined),
    });
    const [name] = await screen.findAllByRole('button', { name: /^查看用户/ });
    if (name) await app.user.click(name);
    await screen.findByText('无权获取同级或更高等级用户的信息');
  });
});

it.each([
  ['模型倍率 1.25，补全倍率 4.00，音频倍率 8.00，', 'model ratio 1.25, completion ratio 4.00, audio ratio 8.00, '],
  ['分组倍率 1.00，突发备用号池倍率 1.50，', 'group ratio 1.00, backup pool ratio 1.50, '],
  ['服务档位 priority 倍率 2.00', 'service tier priority ratio 2.00'],
  ['，工具 web_search 3 次（每千次 $10）', ', tool web_search 3 uses (1,000 cost $10)'],
  ['，请求图片 4，交付图片 2（可能是上游超时）', ', images asked for 4, images delivered 2 (the upstream may have timed out)'],
])('leaves nothing of what the server writes of a charge in Chinese: %s', (content, english) => {
  setLanguage('en');
  expect(contentOf(logOf({ content }))).toBe(english);
  setLanguage('zh');
});
