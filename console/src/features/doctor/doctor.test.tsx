import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { ok } from '../../../test/mock-api.ts';
import { doctor } from '../../../test/prices.ts';
import { renderApp } from '../../../test/render.tsx';

it('what is wrong comes first with what to do about it, failures before warnings; it runs again on request', async () => {
  const { user, calls } = renderApp('/doctor', { signedIn: root });
  const todo = await screen.findByRole('region', { name: '需要处理' });
  const items = within(todo).getAllByRole('listitem');
  expect(items.map((item) => within(item).getByRole('code').textContent)).toEqual(['default_password', 'backup_age']);
  expect(todo.textContent).toContain('npx tollgate user reset-password root');
  await screen.findByText(/1 项通过，1 项警告，1 项未通过/);
  const asked = () => calls.filter(({ path }) => path === '/api/doctor').length;
  expect(asked()).toBe(1);
  await user.click(screen.getByRole('button', { name: '重新检查' }));
  await waitFor(() => expect(asked()).toBe(2));
});

it('when all is well it says so, and lists what was looked at by group', async () => {
  const checks = doctor.checks.map((check) => ({ ...check, level: 'ok' as const }));
  const override = ({ path }: { path: string }) => (path === '/api/doctor' ? ok({ ...doctor, ok: true, checks }) : undefined);
  const { user } = renderApp('/doctor', { signedIn: root, override });
  await screen.findByText('一切正常。');
  expect(screen.queryByRole('region', { name: '需要处理' })).toBeNull();
  await user.click(screen.getByText('已通过的检查（3）'));
  await screen.findByRole('region', { name: '账户' });
});

it('is for root only', async () => {
  const { calls } = renderApp('/doctor', { signedIn: common });
  await screen.findByRole('heading', { level: 1 });
  expect(calls.some(({ path }) => path === '/api/doctor')).toBe(false);
});
