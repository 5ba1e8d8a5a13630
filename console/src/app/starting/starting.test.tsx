import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { root, userOf } from '../../../test/fixtures.ts';
import { type MockOptions, ok } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { type Facts, nothingYet, stepsOf } from './steps.ts';

const doneOf = (facts: Partial<Facts>) =>
  stepsOf({ ...nothingYet, ...facts })
    .filter(({ done }) => done)
    .map(({ key }) => key);
const untested = { test_time: 0, response_time: 0 };

describe('the steps', () => {
  it('are ticked by what the server says, each on its own', () => {
    expect(doneOf({})).toEqual(['password']);
    expect(doneOf({ channels: [untested], unpriced: ['a'] })).toEqual(['password', 'channel']);
    expect(doneOf({ channels: [untested] })).toEqual(['password', 'channel', 'price']);
    expect(doneOf({ channels: [{ test_time: 5, response_time: 9 }], unpriced: ['a'] })).toEqual(['password', 'channel', 'test']);
    expect(doneOf({ tokens: 1, self: { request_count: 1 } })).toEqual(['password', 'token', 'call']);
  });
});

describe('getting started', () => {
  const young =
    (answers: Record<string, unknown>): MockOptions['override'] =>
    ({ method, path }) => {
      const known: Record<string, unknown> = {
        'GET /api/user/self': { ...userOf(root), request_count: 0 },
        'GET /api/channel': [],
        'GET /api/token': [],
        'GET /api/price/unpriced': [],
        ...answers,
      };
      const value = known[`${method} ${path}`];
      return value === undefined ? undefined : ok(value);
    };

  it('stands on the page after the sign-in, leads to what is missing and is put away for good', async () => {
    const app = renderApp('/token', { signedIn: root, override: young({}) });
    const list = await screen.findByRole('region', { name: '快速开始' });
    expect(await within(list).findByText('已完成 1/6')).toBeTruthy();
    expect(within(list).getAllByRole('link', { name: '去完成' })[0]?.getAttribute('href')).toBe('/channel/add');
    await app.user.click(within(list).getByRole('button', { name: '不再显示' }));
    await waitFor(() => expect(screen.queryByRole('region', { name: '快速开始' })).toBeNull());
    expect(localStorage.getItem('starting:1')).toBe('closed');
  });

  it('stays after the first call until it is closed, and says that all is done', async () => {
    localStorage.setItem('starting:1', 'open');
    const tested = [{ ...untested, test_time: 5, response_time: 9 }];
    renderApp('/token', {
      signedIn: root,
      override: ({ method, path, query, body }) => {
        if (method === 'GET' && path === '/api/channel') return ok(tested);
        if (path === '/api/token' && method === 'GET') return undefined;
        return young({ 'GET /api/user/self': { ...userOf(root), request_count: 2 } })?.({ method, path, query, body });
      },
    });
    const list = await screen.findByRole('region', { name: '快速开始' });
    expect(await within(list).findByText('全部完成，网关已可用。')).toBeTruthy();
    expect(within(list).queryByRole('link')).toBeNull();
  });

  it('opens the models that lack a price, not the table of those that have one', async () => {
    const answers = { 'GET /api/channel': [untested], 'GET /api/price/unpriced': ['brand-new'], 'GET /api/option': undefined };
    const app = renderApp('/token', { signedIn: root, override: young(answers) });
    const list = await screen.findByRole('region', { name: '快速开始' });
    const links = await within(list).findAllByRole('link', { name: '去完成' });
    await app.user.click(links.find((link) => link.getAttribute('href')?.includes('#prices')) ?? list);
    expect(await screen.findByRole('button', { name: '设置价格 brand-new' })).toBeTruthy();
  });

  it('is nothing for who has called before, and asks nothing', async () => {
    const app = renderApp('/token', { signedIn: root });
    await screen.findByText('VS Code');
    expect(screen.queryByRole('region', { name: '快速开始' })).toBeNull();
    expect(app.calls.some(({ path }) => path === '/api/price/unpriced')).toBe(false);
  });
});
