import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { stubApi } from '../../test/render.tsx';
import { notices } from './notify.ts';
import { part } from './part.tsx';

const lost = new TypeError('Failed to fetch dynamically imported module: https://a.example/assets/Card.js');
const Card = ({ name }: { name: string }) => <p>{`${name} is here`}</p>;
const away = { override: () => ({ status: 503, envelope: { success: false, message: 'away' } }) };
const Dialog = (_: { onClose(): void }) => <p>dialog</p>;

it('a part that does not come is an error in its place, and another try brings it', async () => {
  stubApi(away);
  const load = vi.fn(async () => ({ Card })).mockRejectedValueOnce(lost);
  const Part = part(load, 'Card', ({ name }) => `waiting for ${name}`);
  render(
    <>
      <p>the rest</p>
      <Part name="card" />
    </>,
  );
  expect(screen.getByText('waiting for card')).toBeTruthy();
  await userEvent.click(await screen.findByRole('button', { name: '重试' }));
  expect(await screen.findByText('card is here')).toBeTruthy();
  expect([screen.queryByText('the rest') !== null, load.mock.calls.length]).toEqual([true, 2]);
});

it('a part that an answering server does not have is asked for once more, and then a reload brings the page of another version', async () => {
  stubApi();
  const reload = vi.spyOn(window.location, 'reload').mockReturnValue();
  const load = vi.fn(async () => ({ Card })).mockRejectedValue(lost);
  const Part = part(load, 'Card');
  render(<Part name="card" />);
  await userEvent.click(await screen.findByRole('button', { name: '重试' }));
  expect([screen.queryByText(/服务器已更新/) !== null, load.mock.calls.length, reload.mock.calls.length]).toEqual([true, 2, 1]);
  reload.mockRestore();
});

it('a dialog that does not come says so in a toast and is closed, so that pressing again is the other try', async () => {
  stubApi(away);
  const Part = part(vi.fn(async () => ({ Dialog })).mockRejectedValueOnce(lost), 'Dialog');
  const close = vi.fn();
  const { unmount } = render(<Part onClose={close} />);
  await vi.waitFor(() => expect(close.mock.calls.length).toBe(1));
  expect(notices.get().at(-1)?.tone).toBe('bad');
  unmount();
  render(<Part onClose={close} />);
  expect(await screen.findByText('dialog')).toBeTruthy();
});

it('what is quiet is left as it was waited for', async () => {
  stubApi(away);
  const load = vi.fn(async () => ({ Card })).mockRejectedValue(lost);
  const Part = part(load, 'Card', ({ name }) => <i>{name}</i>, true);
  render(<Part name="place" />);
  await vi.waitFor(() => expect(load.mock.results.length).toBe(1));
  expect([screen.queryByText('place') !== null, screen.queryByRole('alert')]).toEqual([true, null]);
});
