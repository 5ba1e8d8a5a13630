import { screen, waitFor, within } from '@testing-library/react';
import { explainBody, type RouteExplanation } from '@tollgate/contract';
import { describe, expect, it, vi } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { ok } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { explainInputOf } from './input.ts';
import { readRouteSearch } from './search.ts';

const score = { priority: 10, weight: 20, draw: 0.25, score: 0.0693147 };
const answer: RouteExplanation = {
  plan: [
    { channel_id: 3, key_index: 0, priority: 10, weight: 20, order: 1, group: 'default' },
    { channel_id: 4, key_index: 1, priority: 10, weight: 20, order: 2, group: 'default' },
  ],
  candidates: [
    { channel_id: 3, name: '主线路', group: 'default', in: true, reason: '', score },
    { channel_id: 4, name: '备用', group: 'default', in: true, reason: '', score },
    { channel_id: 5, name: '停用', group: 'default', in: false, reason: 'breaker_open', score },
  ],
  more_candidates: 0,
  group: 'default',
  model: 'gpt-4o',
  seed: 42,
};
const explained = {
  signedIn: root,
  override: ({ path }: { path: string }) => (path === '/api/route/explain' ? ok(answer) : undefined),
};

describe('the question of the route page', () => {
  it('is what the contract takes, and drops what is none', () => {
    const search = readRouteSearch({ model: 'gpt-4o', token: '7', user: 'x', size: '0', exclude: '3,a,3,9', seed: '42' });
    const input = explainInputOf(search);
    expect(input).toEqual({ group: '', model: 'gpt-4o', token_id: 7, size: 0, exclude: [3, 9], seed: 42 });
    expect(explainBody.safeParse(input).success).toBe(true);
    expect(explainInputOf(readRouteSearch({ group: 'vip' }))).toBeUndefined();
  });
});

describe('the route page', () => {
  it('is for administrators only', async () => {
    renderApp('/route?model=gpt-4o', { signedIn: common });
    expect(await screen.findByRole('heading', { name: '没有访问权限' })).toBeTruthy();
  });

  it('offers the models of a channel that was added since it was left', async () => {
    let models = ['before'];
    const app = renderApp('/route', {
      signedIn: root,
      override: ({ path }) => (path === '/api/channel/models_enabled' ? ok(models) : undefined),
    });
    const offered = () => [...document.querySelectorAll<HTMLOptionElement>('#route-models option')].map(({ value }) => value);
    await waitFor(() => expect(offered()).toEqual(['before']));
    await app.router.navigate({ to: '/channel/add', search: {} });
    await screen.findByRole('dialog', { name: '添加渠道' });
    models = ['before', 'added'];
    vi.setSystemTime(Date.now() + 10_000);
    await app.router.navigate({ to: '/route', search: {} });
    await waitFor(() => expect(offered()).toEqual(models));
  });

  it('asks nothing before a model is named', async () => {
    const app = renderApp('/route', explained);
    await app.user.click(await screen.findByRole('button', { name: '解释' }));
    expect(screen.getByText('请填写模型名称')).toBeTruthy();
    expect(app.sent('POST', '/api/route/explain')).toEqual([]);
  });

  it('shows the order, and why a channel is in or out', async () => {
    renderApp('/route?model=gpt-4o', explained);
    const plan = within(await screen.findByRole('region', { name: '尝试顺序' }));
    expect(plan.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['1#3 主线路default', '2#4 备用密钥 2default']);
    expect(screen.getByText('熔断中')).toBeTruthy();
    expect(screen.getAllByText('0.06931')).toHaveLength(3);
  });

  it('begins with the channels that would be tried, then those assumed off, among however many others', async () => {
    const [first, second, third] = answer.candidates.map((candidate, index) => ({ ...candidate, channel_id: 11 + index }));
    const candidates = [first, second, ...answer.candidates, third].flatMap((candidate) => candidate ?? []);
    renderApp('/route?model=gpt-4o&exclude=13', {
      ...explained,
      override: ({ path }) => (path === '/api/route/explain' ? ok({ ...answer, candidates }) : undefined),
    });
    const table = within(await screen.findByRole('table', { name: '候选渠道' }));
    const ids = table.getAllByRole('link').map((link) => link.textContent?.split(' ')[0]);
    expect(ids).toEqual(['#3', '#4', '#13', '#11', '#12', '#5']);
  });

  it('keeps the draw while a channel is assumed off', async () => {
    const app = renderApp('/route?model=gpt-4o', explained);
    await app.user.click((await screen.findAllByRole('button', { name: '假如禁用它' }))[0] as HTMLElement);
    await waitFor(() => expect(app.router.state.location.href).toBe('/route?model=gpt-4o&exclude=3&seed=42'));
    await waitFor(() =>
      expect(app.sent('POST', '/api/route/explain').at(-1)).toEqual({ group: '', model: 'gpt-4o', exclude: [3], seed: 42 }),
    );
    await app.user.click(await screen.findByRole('button', { name: '恢复' }));
    await waitFor(() => expect(app.router.state.location.href).toBe('/route?model=gpt-4o&seed=42'));
  });
});
