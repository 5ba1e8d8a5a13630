import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { root } from '../test/fixtures.ts';
import { renderApp } from '../test/render.tsx';
it('drawer', async () => {
  const app = renderApp('/channel/edit/46', { signedIn: root });
  await app.user.type(await screen.findByLabelText(/^名称/), 'x');
  for (const name of ['取消', '放弃修改']) {
    void app.router.navigate({ to: '/log' });
    const q = within(await screen.findByRole('dialog', { name: '放弃未保存的修改？' }, { timeout: 3000 }));
    await app.user.click(q.getByRole('button', { name }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: '放弃未保存的修改？' })).toBeNull());
    console.log(name, app.router.state.location.pathname, app.router.latestLocation.pathname, app.router.history.location.pathname);
  }
});
