import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { root, tokenOf } from '../../../test/fixtures.ts';
import { ok } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';

/** Every list with a page in its address, and where filters may be set beside it. */
const paths = [
  '/token?p=9',
  '/token?p=9&keyword=a',
  '/channel?p=9',
  '/channel?p=9&view=tags',
  '/user?p=9&group=vip',
  '/redemption?p=9',
  '/log?p=9',
  '/log?p=9&model=gpt',
  '/task?p=9',
  '/midjourney?p=9&status=SUCCESS',
  '/topup/records?p=9',
  '/aff/records?p=9',
  '/aff/records?tab=rewards&p=9',
  '/payment?p=9',
  '/payment?p=9&tab=unmatched',
  '/payment?p=9&tab=inbox&verdict=paid',
  '/agent/manage?p=9',
  '/agent/manage?p=9&tab=withdrawals&status=1',
  '/agent/manage?p=9&tab=dividends',
  '/audit?p=9',
  '/announcement?p=9',
  '/pricing?p=9',
];
/** What answers rows, which are none: they end before this page. */
const lists =
  /^\/api\/(token|channel|user|redemption|log|task|mj|audit|announcement)(\/search)?$|\/(orders|inbox|unmatched|records|rewards|dividends|withdrawals)$|^\/api\/agent$/;

it('the box over all rows says all, some or none of them', async () => {
  const tokens = [1, 2].map((id) => tokenOf({ id, name: `program ${id}` }));
  const app = renderApp('/token', { signedIn: root, override: ({ path }) => (path === '/api/token' ? ok(tokens) : undefined) });
  await screen.findByText('program 1');
  const [all, first] = screen.getAllByRole<HTMLInputElement>('checkbox');
  if (!all || !first) throw new Error('no boxes');
  const state = () => [all.checked, all.indeterminate];
  expect(state()).toEqual([false, false]);
  await app.user.click(first);
  expect(state()).toEqual([false, true]);
  await app.user.click(all);
  expect(state()).toEqual([true, false]);
});

describe('a page beyond the last one', () => {
  it.each(paths)('says so, whatever the filters, and leads back: %s', async (address) => {
    const app = renderApp(address, {
      signedIn: root,
      status: { agent_enabled: true },
      override: ({ method, path: asked }) => {
        if (method !== 'GET' || !lists.test(asked)) return undefined;
        const isArray = /^\/api\/(token|channel|user|redemption|task|mj)(\/search)?$/.test(asked);
        return ok(isArray ? [] : { items: [], page: 9, page_size: 10, total: 0 });
      },
    });
    expect(await screen.findByText('这一页没有记录')).toBeTruthy();
    expect(screen.queryByRole('button', { name: '清除筛选条件' })).toBeNull();
    await app.user.click(screen.getByRole('button', { name: /^前往第 \d 页$/ }));
    await waitFor(() => expect(screen.queryByText('这一页没有记录')).toBeNull());
    expect(app.router.state.location.pathname).toBe(address.split('?', 1)[0]);
  });

  it('makes no claim on the way back that there is nothing', async () => {
    const first = [tokenOf({ id: 1, name: 'first' })];
    const app = renderApp('/token?p=9', {
      signedIn: root,
      override: ({ path: asked, query }) => (asked === '/api/token' ? ok(query.p === '0' ? first : []) : undefined),
    });
    await screen.findByText('这一页没有记录');
    const plain = globalThis.fetch;
    const { promise, resolve } = Promise.withResolvers<void>();
    vi.stubGlobal('fetch', (url: string, options: RequestInit = {}) => promise.then(() => plain(url, options)));
    await app.user.click(screen.getByRole('button', { name: '前往第 1 页' }));
    expect(screen.queryByText('这一页没有记录')).toBeNull();
    expect(screen.queryByText('还没有令牌')).toBeNull();
    resolve();
    expect(await screen.findByText('first')).toBeTruthy();
  });
});

describe('a page that is exactly full', () => {
  it('is the last one when no row follows', async () => {
    const rows = Array.from({ length: 11 }, (_, at) => tokenOf({ id: 100 - at, name: `t${at}` }));
    let known = rows;
    const app = renderApp('/token', {
      signedIn: root,
      override: ({ path: asked }) => (asked === '/api/token' ? ok(known) : undefined),
    });
    await screen.findByText('t9');
    expect(screen.queryByText('t10')).toBeNull();
    expect(screen.getByRole('button', { name: '下一页' })).toHaveProperty('disabled', false);
    known = rows.slice(0, 10);
    await app.readAgain();
    await waitFor(() => expect(screen.getByRole('button', { name: '下一页' })).toHaveProperty('disabled', true));
  });
});
