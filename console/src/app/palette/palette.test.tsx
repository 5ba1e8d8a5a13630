import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { common, root, status as standard } from '../../../test/fixtures.ts';
import { ok } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { type PaletteItem, paletteGroups, placesFor } from './items.ts';

const open = async (app: ReturnType<typeof renderApp>) => {
  await screen.findByRole('button', { name: /^命令面板/ });
  await app.user.keyboard('{Control>}k{/Control}');
  return screen.findByRole('combobox', { name: /^搜索页面/ });
};

describe('what the palette finds', () => {
  const item = (kind: PaletteItem['kind'], label: string): PaletteItem => ({ key: `${kind} ${label}`, kind, label, to: '/' });

  it('puts the kind with the best fit first and forgives missing letters', () => {
    const items = [item('page', 'Upstream alpha'), item('channel', 'alpha'), item('token', 'Quarter')];
    expect(paletteGroups(items, 'alpha').map(({ kind }) => kind)).toEqual(['channel', 'page']);
    expect(paletteGroups(items, 'qrter').map(({ items: rows }) => rows[0]?.label)).toEqual(['Quarter']);
    expect(paletteGroups(items, 'zzz')).toEqual([]);
  });

  it('shows at most six of a kind for a query', () => {
    const many = Array.from({ length: 30 }, (_, index) => item('token', `team ${index}`));
    expect(paletteGroups(many, 'team')[0]?.items).toHaveLength(6);
  });

  it('offers a role only what the role may open', () => {
    const keys = (userRole: number) => placesFor(userRole, undefined).map(({ key }) => key);
    expect(keys(1)).not.toContain('/channel');
    expect(keys(1)).not.toContain('/channel/add');
    expect(keys(1)).not.toContain('tab-system');
    expect(keys(10)).toContain('/user/add');
    expect(keys(10)).not.toContain('tab-system');
    expect(keys(100)).toContain('tab-system');
    for (const userRole of [1, 10, 100]) expect(new Set(keys(userRole)).size).toBe(keys(userRole).length);
  });

  it('leads to the chat clients of the operator, for whoever is signed in', () => {
    const status = { ...standard, chats: [{ 'House chat': 'https://chat.example/#{key}' }] };
    const found = (userRole: number) => paletteGroups(placesFor(userRole, status), 'house')[0]?.items.map(({ to }) => to);
    expect([found(1), found(0)]).toEqual([['/chat/0'], undefined]);
    expect(paletteGroups(placesFor(1, status), '聊天')[0]?.items[0]?.label).toBe('House chat');
  });
});

describe('the command palette', () => {
  it('has the keyboard as soon as it is there, so that no letter is lost', async () => {
    const app = renderApp('/token', { signedIn: root });
    expect(await open(app)).toBe(document.activeElement);
  });

  it('switches the theme where the person is', async () => {
    const app = renderApp('/token', { signedIn: common });
    await open(app);
    await app.user.keyboard('深色{Enter}');
    await waitFor(() => expect(document.documentElement.dataset.theme).toBe('dark'));
    expect(app.router.state.location.pathname).toBe('/token');
    expect(screen.queryByRole('combobox', { name: /^搜索页面/ })).toBeNull();
  });

  it('goes to a page by keyboard alone, found by its address too', async () => {
    const app = renderApp('/token', { signedIn: root });
    await open(app);
    await app.user.keyboard('chanel{Enter}');
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/channel'));
    expect(screen.queryByRole('combobox', { name: /^搜索页面/ })).toBeNull();
  });

  it('opens from the top bar, moves with the arrows and closes with Escape', async () => {
    const app = renderApp('/token', { signedIn: root });
    const button = await screen.findByRole('button', { name: /^命令面板/ });
    await app.user.click(button);
    const input = await screen.findByRole('combobox', { name: /^搜索页面/ });
    await app.user.keyboard('设置');
    const first = input.getAttribute('aria-activedescendant');
    await app.user.keyboard('{ArrowDown}');
    expect(input.getAttribute('aria-activedescendant')).not.toBe(first);
    await app.user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('combobox', { name: /^搜索页面/ })).toBeNull());
    expect(app.router.state.location.pathname).toBe('/token');
  });

  it('shows what the server found by other words than the name', async () => {
    const app = renderApp('/token', {
      signedIn: root,
      override: ({ method, path, query }) =>
        method === 'GET' && path === '/api/user/search' && query.keyword === 'someone@example.org'
          ? ok([{ id: 77, username: 'hidden', display_name: 'Hidden' }])
          : undefined,
    });
    await open(app);
    await app.user.keyboard('someone@example.org');
    expect(await screen.findByRole('option', { name: /hidden/ })).toBeTruthy();
    await app.user.keyboard('{Enter}');
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/user/edit/77'));
  });

  it('finds a setting by its key for root and leads to its place', async () => {
    const app = renderApp('/token', { signedIn: root });
    await open(app);
    await app.user.keyboard('SMTPPort');
    expect(within(await screen.findByRole('group', { name: '设置项' })).getAllByRole('option').length).toBeGreaterThan(0);
    await app.user.keyboard('{Enter}');
    await waitFor(() => expect(app.router.state.location.hash).toBe('SMTPPort'));
    expect(app.router.state.location.search).toEqual({ tab: 'system' });
  });

  it('asks the server for nothing that a user may not see', async () => {
    const app = renderApp('/token', { signedIn: common });
    await open(app);
    await app.user.keyboard('vs code');
    expect(await screen.findByRole('option', { name: /VS Code/ })).toBeTruthy();
    await waitFor(() => expect(app.calls.some(({ path }) => path === '/api/token/search')).toBe(true));
    expect(app.calls.filter(({ path }) => /^\/api\/(user|channel)(\/search)?$/.test(path))).toEqual([]);
  });

  it('says so when nothing fits', async () => {
    const app = renderApp('/token', { signedIn: common });
    await open(app);
    await app.user.keyboard('qqqqqq');
    expect(await screen.findByText('没有匹配的结果')).toBeTruthy();
  });
});
