import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { AdvancedFold } from './AdvancedFold.tsx';

const fold = (faulty: boolean) => (
  <AdvancedFold storageKey="test-fold" faulty={faulty}>
    <input aria-label="inside" />
  </AdvancedFold>
);

it('is closed until it is opened, and is found as it was left', async () => {
  const user = userEvent.setup();
  const first = render(fold(false));
  expect(screen.queryByLabelText('inside')).toBeNull();
  await user.click(screen.getByRole('button', { name: '高级设置', expanded: false }));
  first.unmount();
  render(fold(false));
  expect(screen.getByLabelText('inside')).toBeTruthy();
});

it('opens for a fault inside, does not close over it, and stays open once it is corrected', async () => {
  const user = userEvent.setup();
  const { rerender } = render(fold(true));
  await user.click(screen.getByRole('button', { name: '高级设置', expanded: true }));
  expect(screen.getByLabelText('inside')).toBeTruthy();
  rerender(fold(false));
  expect(screen.getByLabelText('inside')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: '高级设置' }));
  expect(screen.queryByLabelText('inside')).toBeNull();
});
