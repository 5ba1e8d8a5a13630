import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { common } from '../../../test/fixtures.ts';
import { type MockOptions, refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';

async function open(more: MockOptions = {}) {
  const app = renderApp('/setting?tab=personal', { signedIn: common, ...more });
  await screen.findByRole('region', { name: '个人资料' });
  return app;
}
const card = (name: string) => within(screen.getByRole('region', { name }));
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));

describe('the own names and password', () => {
  it('are not lost unasked by a step to another page, and nothing is asked once they are saved', async () => {
    const app = await open();
    await app.user.type(card('个人资料').getByLabelText('显示名称'), '二');
    const leave = () => void app.router.navigate({ to: '/token' });
    leave();
    await app.user.click((await dialog('放弃未保存的修改？')).getByRole('button', { name: '取消' }));
    expect(app.router.state.location.pathname).toBe('/setting');
    await app.user.click(card('个人资料').getByRole('button', { name: '保存' }));
    await screen.findByText('保存成功');
    leave();
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/token'));
  });

  it.each([
    ['个人资料', '显示名称'],
    ['修改密码', '新密码'],
  ])('stay typed where the session has ended meanwhile: %s', async (title, label) => {
    const app = await open({ override: ({ method }) => (method === 'PUT' ? refuse('未登录', 401) : undefined) });
    const field = card(title).getByLabelText<HTMLInputElement>(label);
    await app.user.type(field, 'correct horse');
    if (title === '修改密码') await app.user.type(card(title).getByLabelText('再次输入密码'), 'correct horse');
    await app.user.type(field, '{Enter}');
    await app.user.click((await dialog('放弃未保存的修改？')).getByRole('button', { name: '取消' }));
    expect(field.value).toMatch(/correct horse$/);
    const signIn = within(await card(title).findByRole('alert')).getByRole('link', { name: '登录' });
    expect(signIn.getAttribute('target')).toBe('_blank');
  });
});
