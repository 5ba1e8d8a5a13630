import { act, screen, waitFor, within } from '@testing-library/react';
import type { LogEntry } from '@tollgate/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { common, logOf, root } from '../../../test/fixtures.ts';
import { type MockOptions, ok } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { tailMs } from './queries.ts';

const rowsOf = (from: number, count: number): LogEntry[] =>
  Array.from({ length: count }, (_, index) => logOf({ id: from - index, token_name: `row ${from - index}` }));

/** A log of 35 rows that answers by cursor, and by number. */
const paged: MockOptions['override'] = ({ path, query }) => {
  if (path !== '/api/log') return undefined;
  const size = Number(query.page_size);
  const all = rowsOf(35, 35);
  const from = query.before ? all.findIndex(({ id }) => id < Number(query.before)) : (Number(query.p ?? 1) - 1) * size;
  const items = all.slice(from, from + size);
  const last = from + size >= all.length;
  return ok({ items, page: 1, page_size: size, total: 35, total_capped: false, next_before: last ? 0 : items.at(-1)?.id });
};
const asked = (calls: { path: string; query: Record<string, string> }[]) =>
  calls.filter(({ path }) => path === '/api/log').map(({ query }) => query.before ?? `p${query.p}`);

describe('pages of the log', () => {
  it('have a sum that is called the least one while it lacks rows', async () => {
    const stat = { quota: 500_000, rpm: 0, tpm: 0, unsummed: 9 };
    renderApp('/log', { signedIn: root, override: ({ path }) => (path === '/api/log/stat' ? ok(stat) : undefined) });
    expect((await screen.findByText(/^≥/)).textContent).toBe('≥ $1.00');
  });

  it('are found by the cursor of the one before, forth and back', async () => {
    const app = renderApp('/log', { signedIn: root, override: paged });
    await screen.findByText('row 35');
    await app.user.click(screen.getByRole('button', { name: '下一页' }));
    await screen.findByText('row 25');
    expect(app.router.state.location.href).toBe('/log?p=2&before=26');
    await app.user.click(screen.getByRole('button', { name: '下一页' }));
    await screen.findByText('row 15');
    await app.user.click(screen.getByRole('button', { name: '上一页' }));
    await screen.findByText('row 25');
    expect(app.router.state.location.href).toBe('/log?p=2&before=26');
    await app.user.click(screen.getByRole('button', { name: '上一页' }));
    await screen.findByText('row 35');
    expect(app.router.state.location.href).toBe('/log');
    expect(asked(app.calls)).toEqual(['p1', '26', '16']);
  });

  it('end with the last one', async () => {
    const app = renderApp('/log?p=4&before=6', { signedIn: root, override: paged });
    await screen.findByText('row 1');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: '下一页' }).disabled).toBe(true);
    expect(screen.getByText('第 4 / 4 页')).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: '上一页' }));
    await screen.findByText('row 15');
    expect(asked(app.calls)).toEqual(['6', 'p3']);
  });

  it('count on while one of them is still on its way', async () => {
    const app = renderApp('/log', { signedIn: root, override: paged });
    await screen.findByText('row 35');
    const plain = globalThis.fetch;
    vi.stubGlobal('fetch', (url: string, options: RequestInit = {}) =>
      url.includes('before=26') ? new Promise(() => undefined) : plain(url, options),
    );
    await app.user.click(screen.getByRole('button', { name: '下一页' }));
    await app.user.click(screen.getByRole('button', { name: '下一页' }));
    await screen.findByText('row 15');
    expect(app.router.state.location.href).toBe('/log?p=3');
  });

  it("go on below where a search by an upstream's id has found nothing yet, in the same range", async () => {
    const app = renderApp('/log?from=100&to=200', {
      signedIn: root,
      override: ({ path, query }) => {
        if (path !== '/api/log' || query.upstream_request_id === undefined) return undefined;
        const items = query.before === '77' ? rowsOf(5, 1) : [];
        return ok({
          items,
          page: 1,
          page_size: 10,
          total: items.length,
          total_capped: !items[0],
          next_before: items[0] ? 0 : 77,
        });
      },
    });
    await app.user.type(await screen.findByRole('searchbox', { name: '上游请求 ID' }), 'req_1{Enter}');
    const text = await screen.findByText('较新的记录里没有，更早的还没有查找');
    await app.user.click(within(text.parentElement as HTMLElement).getByRole('button', { name: '下一页' }));
    await screen.findByText('row 5');
    expect(app.router.state.location.href).toBe('/log?from=100&to=200&upstream=req_1&p=2&before=77');
    const found = app.calls.filter(({ query }) => query.upstream_request_id === 'req_1' && query.start_timestamp === '100');
    expect([...new Set(found.map(({ path }) => path))].sort()).toEqual(['/api/log', '/api/log/stat']);
  });

  it('start again when a filter changes', async () => {
    const app = renderApp('/log?p=2&before=26', { signedIn: root, override: paged });
    await screen.findByText('row 25');
    await app.user.selectOptions(screen.getByRole('combobox', { name: '类型' }), '2');
    await waitFor(() => expect(app.router.state.location.href).toBe('/log?type=2'));
  });
});

describe('the live log', () => {
  afterEach(() => void vi.useRealTimers());

  const tails = (arrivals: LogEntry[][]): MockOptions['override'] => {
    let after = 100;
    return ({ path }) => {
      if (path === '/api/log/self')
        return ok({ items: rowsOf(100, 2), page: 1, page_size: 10, total: 2, total_capped: false, next_before: 0 });
      if (path !== '/api/log/self/tail') return undefined;
      const items = arrivals.shift() ?? [];
      after = items[0]?.id ?? after;
      return ok({ items, after, skipped: false });
    };
  };
  const names = () => screen.getAllByText(/^row \d+$/).map((cell) => cell.textContent);

  it('shows what arrives on top, each row once, from where the list ended', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const app = renderApp('/log?model=gpt', {
      signedIn: common,
      override: tails([rowsOf(101, 1), rowsOf(103, 2)]),
    });
    await screen.findByText('row 100');
    await app.user.click(screen.getByRole('button', { name: '实时' }));
    await screen.findByText('row 101');
    await act(() => vi.advanceTimersByTimeAsync(tailMs));
    await screen.findByText('row 103');
    expect(names()).toEqual(['row 103', 'row 102', 'row 101', 'row 100', 'row 99']);
    expect(screen.getByText('实时更新中，新到 3 条')).toBeTruthy();
    const looks = app.calls.filter(({ path }) => path === '/api/log/self/tail').map(({ query }) => query);
    expect(looks[0]).toEqual({ after: '100', model_name: '%gpt%' });
    expect(looks[1]?.after).toBe('101');
    await app.user.click(screen.getByRole('button', { name: '实时' }));
    const before = app.calls.length;
    await act(() => vi.advanceTimersByTimeAsync(4 * tailMs));
    expect(app.calls.slice(before).filter(({ path }) => path.endsWith('/tail'))).toEqual([]);
  });

  it('leaves open what is open', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const app = renderApp('/log', { signedIn: common, override: tails([rowsOf(101, 1), rowsOf(102, 1)]) });
    await screen.findByText('row 100');
    await app.user.click(screen.getAllByRole('button', { name: '详情' })[0] ?? document.body);
    await app.user.click(screen.getByRole('button', { name: '实时' }));
    await screen.findByText('row 101');
    await act(() => vi.advanceTimersByTimeAsync(tailMs));
    await screen.findByText('row 102');
    const open = screen.getAllByRole('button', { name: '详情', expanded: true });
    expect(open.map((button) => button.closest('tr')?.textContent)).toEqual([expect.stringContaining('row 100')]);
  });

  it('starts from now where the range has no row, and takes none of before it for new', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const app = renderApp('/log', {
      signedIn: common,
      override: ({ path, query }) => {
        if (path === '/api/log/self')
          return ok({ items: [], page: 1, page_size: 10, total: 0, total_capped: false, next_before: 0 });
        if (path !== '/api/log/self/tail') return undefined;
        return ok({ items: query.after === '0' ? rowsOf(50, 2) : [], after: 50, skipped: false });
      },
    });
    await screen.findByText('这段时间没有记录');
    await app.user.click(screen.getByRole('button', { name: '实时' }));
    await act(() => vi.advanceTimersByTimeAsync(tailMs));
    const looks = () => app.calls.filter(({ path }) => path === '/api/log/self/tail').map(({ query }) => query.after);
    await waitFor(() => expect(looks().slice(0, 2)).toEqual([undefined, '50']));
    expect(screen.queryByText(/^row \d+$/)).toBeNull();
  });

  it('keeps no more rows than a page can hold', { timeout: 40_000 }, async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const app = renderApp('/log', {
      signedIn: common,
      override: tails([rowsOf(200, 100), rowsOf(300, 100), rowsOf(400, 100)]),
    });
    await screen.findByText('row 100');
    await app.user.click(screen.getByRole('button', { name: '实时' }));
    await screen.findByText('row 200');
    await act(() => vi.advanceTimersByTimeAsync(tailMs));
    await act(() => vi.advanceTimersByTimeAsync(tailMs));
    await screen.findByText('row 400');
    // The table draws them a screen at a time.
    await waitFor(() => expect(names()).toHaveLength(200), { timeout: 20_000 });
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    expect(names()).toHaveLength(200);
  });

  it('rests while the page is out of sight', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const app = renderApp('/log', { signedIn: common, override: tails([]) });
    await screen.findByText('row 100');
    await app.user.click(screen.getByRole('button', { name: '实时' }));
    await waitFor(() => expect(app.calls.some(({ path }) => path.endsWith('/tail'))).toBe(true));
    const hidden = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    const before = app.calls.length;
    await act(() => vi.advanceTimersByTimeAsync(8 * tailMs));
    expect(app.calls.length).toBe(before);
    hidden.mockRestore();
  });
});

describe('the export', () => {
  const withFile = (body: BodyInit, init: ResponseInit = {}) => {
    const asks: { url: string; user: string | null; cache: string | null }[] = [];
    const app = renderApp('/log?from=100&to=200&model=gpt&channel=3', { signedIn: root });
    const plain = globalThis.fetch;
    vi.stubGlobal('fetch', (url: string, options: RequestInit = {}) => {
      if (!url.includes('/export')) return plain(url, options);
      const headers = new Headers(options.headers);
      asks.push({ url, user: headers.get('New-Api-User'), cache: headers.get('Cache-Control') });
      return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/csv' }, ...init }));
    });
    return { app, asks };
  };

  it("takes the server's file with the filters of the page", async () => {
    const saved: Blob[] = [];
    vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
      if (file instanceof Blob) saved.push(file);
      return 'blob:x';
    });
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
    const { app, asks } = withFile('id,time\r\n1,x\r\n');
    await app.user.click(await screen.findByRole('button', { name: '导出' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '导出 CSV' }));
    await screen.findByText('已导出 14 B');
    expect(asks).toEqual([
      {
        url: '/api/log/export?start_timestamp=100&end_timestamp=200&model_name=%25gpt%25&channel=3&format=csv',
        user: String(root.id),
        cache: 'no-store',
      },
    ]);
    expect(await saved[0]?.text()).toBe('id,time\r\n1,x\r\n');
    expect(click).toHaveBeenCalledOnce();
    vi.restoreAllMocks();
  });

  it("says the server's refusal", async () => {
    const { app } = withFile(JSON.stringify({ success: false, message: '导出太多，请稍后再试' }), {
      status: 400,
      headers: { 'Content-Type': 'application/json' },
    });
    await app.user.click(await screen.findByRole('button', { name: '导出' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '导出 NDJSON' }));
    const notices = await screen.findByRole('region', { name: '通知' });
    await within(notices).findAllByText('导出太多，请稍后再试');
  });
});
