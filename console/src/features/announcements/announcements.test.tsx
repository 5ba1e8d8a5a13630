import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { renderApp, seeNotice } from '../../../test/render.tsx';

it('marks nothing as read where there is no announcement', async () => {
  renderApp('/announcement', {
    signedIn: root,
    override: ({ method, path }) =>
      method === 'GET' && path === '/api/announcement' ? ok({ items: [], page: 1, page_size: 10, total: 0 }) : undefined,
  });
  await screen.findByText('还没有公告');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: '全部已读' }).disabled).toBe(true);
});

it('says that the announcements could not be marked as read', async () => {
  const app = renderApp('/announcement', {
    signedIn: root,
    override: ({ method }) => (method === 'PUT' || method === 'POST' ? refuse('数据库忙', 500) : undefined),
  });
  await app.user.click(await screen.findByRole('button', { name: '全部已读' }));
  await seeNotice('数据库忙');
});

it('reads the list again where nobody knows whether an announcement was deleted', async () => {
  const app = renderApp('/announcement', {
    signedIn: root,
    override: ({ method }) => (method === 'DELETE' ? refuse('', 502) : undefined),
  });
  const read = () => app.calls.filter(({ method, path }) => method === 'GET' && path === '/api/announcement').length;
  await app.user.click((await screen.findAllByRole('button', { name: '删除' }))[0] ?? expect.unreachable());
  const before = read();
  await app.user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: '删除' }));
  await waitFor(() => expect(read()).toBeGreaterThan(before));
});
