import { act, render, screen, within } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
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

it('a warning stays long enough to be read, as a failure does; what went well does not', async () => {
  render(<OverlayHosts />);
  notify('ok', '先前的');
  await screen.findByText('先前的');
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  act(() => {
    notify('warn', '还有 $2.00 未能收回');
    notify('ok', '订单已撤销');
  });
  act(() => void vi.advanceTimersByTime(100));
  for (const text of ['还有 $2.00 未能收回', '订单已撤销']) expect(screen.getByText(text)).toBeTruthy();
  act(() => void vi.advanceTimersByTime(6000));
  // What goes fades first.
  const stays = (text: string) => screen.queryByText(text)?.closest('[data-ending-style]') === null;
  expect([stays('还有 $2.00 未能收回'), stays('订单已撤销')]).toEqual([true, false]);
});
