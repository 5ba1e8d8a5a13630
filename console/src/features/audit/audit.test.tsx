import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { auditActions } from '@tollgate/contract';
import { expect, it } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { renderApp } from '../../../test/render.tsx';
import { actionFaces, faceOf } from './model.ts';

it('knows a word for every action of the contract, and shows those of a newer server as they are', () => {
  expect(Object.keys(actionFaces).sort()).toEqual([...auditActions].sort());
  expect(faceOf('future.thing').text).toBe('future.thing');
});

it('shows who did what, and an entry in full', async () => {
  const app = renderApp('/audit', { signedIn: root });
  const table = within(await screen.findByRole('table', { name: '审计日志' }));
  const rows = table.getAllByRole('row').slice(1);
  expect(rows[0]?.textContent).toContain('提升管理员root #1user:12203.0.113.7');
  expect(rows[1]?.textContent).toContain('登录失败未登录或命令行user:7');
  await app.user.click(within(rows[0] ?? document.body).getByRole('button', { name: '详情' }));
  expect(await table.findByText('ab'.repeat(32))).toBeTruthy();
  // A long one scrolls, also for whoever has no mouse.
  expect(document.querySelector('pre')?.tabIndex).toBe(0);
});

it('filters by actor, object, action and time, all of it in the address', async () => {
  const app = renderApp('/audit', { signedIn: root });
  await screen.findByRole('table', { name: '审计日志' });
  await app.user.type(screen.getByRole('searchbox', { name: /操作者/ }), 'root{Enter}');
  await app.user.type(screen.getByRole('searchbox', { name: '对象' }), 'user:12{Enter}');
  await app.user.selectOptions(screen.getByRole('combobox', { name: '全部操作' }), 'user.promote');
  await app.user.type(screen.getByRole('textbox', { name: '开始时间' }), '2026-11-01 00:00:00');
  const from = new Date(2026, 10, 1).getTime() / 1000;
  await waitFor(() =>
    expect(app.router.state.location.href).toBe(`/audit?actor=root&target=user%3A12&action=user.promote&from=${from}`),
  );
  await waitFor(() =>
    expect(app.calls.filter((call) => call.path === '/api/audit').at(-1)?.query).toEqual({
      p: '1',
      page_size: '10',
      actor: 'root',
      action: 'user.promote',
      target: 'user:12',
      start_timestamp: String(from),
    }),
  );
});

it.each([
  ['/user', 'lihua', 'user:7'],
  ['/channel', '主线路', 'channel:46'],
])('what was done to a row of %s is told from its menu, to root', async (page, name, target) => {
  const menuOf = async (signedIn: typeof root) => {
    const app = renderApp(page, { signedIn });
    const row = (await screen.findAllByText(name)).map((cell) => cell.closest('tr')).find((each) => each !== null);
    await app.user.click(within(row ?? document.body).getByRole('button', { name: '更多操作' }));
    await screen.findAllByRole('menuitem');
    return app;
  };
  await menuOf({ ...root, role: 10 });
  expect(screen.queryByRole('menuitem', { name: '审计日志' })).toBeNull();
  cleanup();
  const app = await menuOf(root);
  await app.user.click(screen.getByRole('menuitem', { name: '审计日志' }));
  await waitFor(() => expect(app.router.state.location.search).toMatchObject({ target }));
});

it('is for root alone', async () => {
  const app = renderApp('/audit', { signedIn: { ...common, role: 10 } });
  expect(await screen.findByRole('heading', { name: '没有访问权限' })).toBeTruthy();
  // An administrator reads it, too.
  expect(document.body.textContent).toContain('您的角色不能访问此页面');
  expect(app.calls.some((call) => call.path === '/api/audit')).toBe(false);
});
