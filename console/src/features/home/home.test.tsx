import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { common } from '../../../test/fixtures.ts';
import { type MockOptions, ok, refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { contentOf, fingerprintOf } from '../../ui/markup/content.ts';

const saying =
  (texts: Record<string, string>): MockOptions['override'] =>
  ({ path }) =>
    path in texts ? ok(texts[path]) : undefined;
const home = (text: string) => saying({ '/api/home_page_content': text });

describe('the content of an operator', () => {
  it('is a page elsewhere only for one secure address that is not our own', () => {
    const own = 'https://gate.example.com';
    expect(contentOf(' https://example.com/welcome ', own)).toEqual({ kind: 'page', url: 'https://example.com/welcome' });
    for (const text of ['http://example.com', `${own}/x`, 'https://a b', 'javascript:alert(1)', 'https://'])
      expect(contentOf(text, own).kind).toBe('markup');
    expect(contentOf('\n ', own)).toEqual({ kind: 'none' });
  });

  it('is told from another one by its fingerprint', () => {
    expect(fingerprintOf('a')).toBe(fingerprintOf('a'));
    expect(new Set(['', 'a', 'b', 'ab', 'ba'].map(fingerprintOf)).size).toBe(5);
  });
});

describe('the home page', () => {
  it('explains the product and gives each protocol its address to copy, until the operator writes their own', async () => {
    renderApp('/');
    const addresses = await screen.findAllByRole('button', { name: '复制接口地址' });
    expect(addresses.length).toBeGreaterThanOrEqual(3);
    // A Chinese title wraps between its phrases, not inside a word.
    expect(screen.getByRole('heading', { level: 1 }).className).toContain('break-keep');
  });

  it('is that of the operator, a page elsewhere in a frame that cannot lead this one away', async () => {
    renderApp('/', { override: home('https://example.com/welcome') });
    const frame = await screen.findByTitle('首页');
    expect(frame.getAttribute('src')).toBe('https://example.com/welcome');
    expect(frame.getAttribute('referrerpolicy')).toBe('no-referrer');
    const rights = frame.getAttribute('sandbox')?.split(' ') ?? [];
    expect(rights).toContain('allow-scripts');
    expect(rights.filter((right) => right.includes('navigation') || right.includes('modals'))).toEqual([]);
    expect(screen.getByRole('link', { name: '在新窗口打开' })).toBeTruthy();
  });

  it('is the usual one where theirs cannot be read', async () => {
    renderApp('/', { override: ({ path }) => (path === '/api/home_page_content' ? refuse('数据库忙') : undefined) });
    expect(await screen.findAllByRole('button', { name: '复制接口地址' })).not.toHaveLength(0);
  });
});

describe('the about page', () => {
  it('says that nothing was written, and what runs here', async () => {
    renderApp('/about');
    expect(await screen.findByText('管理员还没有填写关于页面')).toBeTruthy();
    expect(screen.getByRole('heading', { level: 1, name: '关于' })).toBeTruthy();
  });
});

describe('the notice', () => {
  const notice = (text: string) => saying({ '/api/notice': text });

  it('is shown once to whoever closed it, in the console as on the home page, and again when it is another', async () => {
    const first = renderApp('/', { override: notice('周日维护') });
    const dialog = within(await screen.findByRole('dialog', { name: '公告' }));
    await first.user.click(dialog.getByRole('button', { name: '知道了' }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: '公告' })).toBeNull());
    cleanup();
    const second = renderApp('/token', { signedIn: common, override: notice('周日维护') });
    await waitFor(() => expect(second.calls.some(({ path }) => path === '/api/notice')).toBe(true));
    await screen.findByText('VS Code');
    expect(screen.queryByRole('dialog', { name: '公告' })).toBeNull();
    cleanup();
    renderApp('/token', { signedIn: common, override: notice('周一维护') });
    expect(await screen.findByRole('dialog', { name: '公告' })).toBeTruthy();
  });
});
