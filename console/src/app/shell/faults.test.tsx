import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterContextProvider } from '@tanstack/react-router';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { createQueryClient } from '../query-client.ts';
import { createAppRouter } from '../router.tsx';
import { PageError } from './faults.tsx';

it.each([
  'Failed to fetch dynamically imported module: https://a.example/assets/Dialog.js',
  'error loading dynamically imported module: https://a.example/assets/Dialog.js',
  'Importing a module script failed.',
])('a page that lacks a part (%s) is loaded anew by another try: the part would not be asked for again', async (message) => {
  const reload = vi.spyOn(window.location, 'reload').mockReturnValue();
  const reset = vi.fn();
  render(
    <RouterContextProvider router={createAppRouter(createMemoryHistory())}>
      <QueryClientProvider client={createQueryClient()}>
        <PageError error={new TypeError(message)} reset={reset} />
      </QueryClientProvider>
    </RouterContextProvider>,
  );
  expect(screen.getByText('无法连接到服务器')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: '重试' }));
  expect([reload.mock.calls.length, reset.mock.calls.length]).toEqual([1, 0]);
  reload.mockRestore();
});
