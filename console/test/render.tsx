import { createMemoryHistory } from '@tanstack/react-router';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { LoginUser } from '@tollgate/contract';
import { expect, onTestFinished, vi } from 'vitest';
import { storeSession } from '../src/api/session.ts';
import { App } from '../src/app/App.tsx';
import { createQueryClient } from '../src/app/query-client.ts';
import { createAppRouter, followSession, followSessionExpiry } from '../src/app/router.tsx';
import { answer, type MockOptions, type MockRequest, readRequest } from './mock-api.ts';

export interface Rendered {
  user: ReturnType<typeof userEvent.setup>;
  router: ReturnType<typeof createAppRouter>;
  /** Every call that was made, in order. */
  calls: (MockRequest & { headers: Headers })[];
  /** The bodies that were sent to one route. */
  sent(method: string, path: string): unknown[];
  /** Reads everything that is shown again, as the console does when the network comes back. */
  readAgain(): Promise<void>;
}

const realTimeout = globalThis.setTimeout;
/** Calls and answers take their time, as between a browser and a server: no test may count on what has not arrived. */
const way = () => new Promise((resolve) => realTimeout(resolve, 10));

/** Answers the console's calls from the sample data for the length of one test. Returns the list that calls are written to. */
export function stubApi(options: MockOptions = {}): Rendered['calls'] {
  const calls: Rendered['calls'] = [];
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => undefined);
  const stub = vi.fn(async (url: string, init: RequestInit = {}) => {
    await Promise.race([way(), over.promise]);
    const request = readRequest(init.method ?? 'GET', url, typeof init.body === 'string' ? init.body : undefined);
    calls.push({ ...request, headers: new Headers(init.headers) });
    const { status, envelope, headers } = answer(request, options);
    await Promise.race([way(), over.promise]);
    return new Response(JSON.stringify(envelope), { status, headers: { 'X-Oneapi-Request-Id': 'request-1', ...headers } });
  });
  vi.stubGlobal('fetch', stub);
  onTestFinished(() => {
    // What is under way would be answered within the next test, and change its session.
    over.reject(new TypeError('the test is over'));
    vi.unstubAllGlobals();
  });
  return calls;
}

/** The whole application at an address, signed in as somebody or nobody. */
export function renderApp(path: string, { signedIn, ...options }: MockOptions & { signedIn?: LoginUser } = {}): Rendered {
  const calls = stubApi({ user: signedIn, ...options });
  if (signedIn) storeSession(signedIn);
  const router = createAppRouter(createMemoryHistory({ initialEntries: [path] }));
  const client = createQueryClient();
  const stops = [followSessionExpiry(router), followSession(router, client)];
  onTestFinished(() => {
    for (const stop of stops) stop();
    client.clear();
  });
  render(<App router={router} client={client} />);
  return {
    user: userEvent.setup(),
    router,
    calls,
    sent: (method, address) => calls.filter((call) => call.method === method && call.path === address).map((call) => call.body),
    readAgain: () => act(() => client.invalidateQueries()),
  };
}

/** From now on writes reach the server only once they are `taken`; `begun` has their bodies. */
export function holdWrites(): { begun: unknown[]; taken(): void } {
  const plain = globalThis.fetch;
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun: unknown[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    if (init.method !== 'GET') {
      begun.push(init.body);
      await promise;
    }
    return plain(url, init);
  });
  return { begun, taken: resolve };
}

/** Waits until the first button of this name can be pressed: many cannot before what they need has been read. */
export async function enabledButton(
  name: string | RegExp,
  place: Pick<typeof screen, 'getAllByRole'> = screen,
): Promise<HTMLElement> {
  return waitFor(() => {
    const button = place
      .getAllByRole<HTMLButtonElement>('button', { name })
      .find((one) => !one.disabled && one.getAttribute('aria-disabled') === null);
    return button ?? expect.unreachable(`${name} can not be pressed`);
  });
}

/** Waits for a notice with this text; a failure is also announced, so that its text stands twice on the page. */
export async function seeNotice(text: string | RegExp): Promise<HTMLElement> {
  return within(await screen.findByRole('region', { name: '通知' })).findByText(text);
}
