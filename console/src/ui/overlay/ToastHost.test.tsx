import { render, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { notify } from '../notify.ts';
import { OverlayHosts } from '../OverlayHosts.tsx';

it('a failure is announced in its own words, not as an empty alert', async () => {
  render(<OverlayHosts />);
  notify('bad', '余额不足', { requestId: '2026112017' });
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toBe('余额不足');
});

it('a notice is a dialog that is named by its text, in a region with a name', async () => {
  render(<OverlayHosts />);
  notify('ok', '已保存');
  const region = within(await screen.findByRole('region', { name: '通知' }));
  expect(await region.findByRole('dialog', { name: '已保存' })).toBeTruthy();
});
