import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { common, userOf } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { pricing, pricingGroups } from '../../../test/prices.ts';
import { renderApp } from '../../../test/render.tsx';
import { formatTime } from '../../lib/time.ts';
import { filterModels, modelsIn, pricesOf, shownGroup } from './model.ts';
import { readPricingSearch } from './search.ts';

const list = { items: pricing, ...pricingGroups };
const names = (models: ReturnType<typeof modelsIn>) => models.map(({ item }) => item.model_name);

describe('what a model costs', () => {
  it('is its ratio times two dollars per million tokens times the group', () => {
    const [chat] = modelsIn(list, 'vip', 500_000);
    expect(chat?.prices).toMatchObject({ prompt: 2, completion: 8, cacheRead: 1, cacheWrite: 2 });
  });

  it('of one call is its price times the group; sound takes both of its ratios', () => {
    const [, , sound, , , picture] = pricing;
    if (!sound || !picture) return expect.unreachable();
    expect(pricesOf(picture, 0.5, 500_000)).toEqual({ call: 0.02 });
    expect(pricesOf({ ...picture, per_second: true }, 0.5, 500_000)).toEqual({ second: 0.02 });
    expect(pricesOf(sound, 1, 500_000)).toMatchObject({ audioPrompt: 40, audioCompletion: 80 });
    expect(pricesOf({ ...sound, image_ratio: 2, image_completion_ratio: 100 }, 1, 500_000)).toMatchObject({
      imagePrompt: 2 * 2 * sound.model_ratio,
      imageCompletion: 100 * 2 * sound.model_ratio,
    });
  });

  it("is shown for the asked group, else the user's own, else the public one", () => {
    expect(shownGroup(list, 'vip', 'default')).toBe('vip');
    expect(shownGroup(list, 'gone', 'vip')).toBe('vip');
    expect(shownGroup(list, undefined, undefined)).toBe('default');
    expect(shownGroup({ ...list, group_ratio: {} }, 'x', 'y')).toBe('default');
  });
});

it('the list narrows by name, type, provider and whether the group may call it', () => {
  const models = modelsIn(list, 'default', 500_000);
  expect(names(filterModels(models, { q: '4o mini' }))).toEqual(['gpt-4o-mini']);
  expect(names(filterModels(models, { type: 'call' }))).toEqual(['dall-e-3']);
  expect(names(filterModels(models, { type: 'second' }))).toEqual(['sora-2']);
  expect(names(filterModels(models, { provider: 'Anthropic' }))).toEqual(['claude-3-7-sonnet-20250219']);
  expect(names(filterModels(models, { hide: '1' }))).not.toContain('gpt-4o-mini');
  expect(readPricingSearch({ type: 'x', hide: 'yes', q: ' ', p: '2' })).toEqual({ p: 2 });
});

describe('the pricing page', () => {
  it('is open to visitors, with the price of every group below a model', async () => {
    const { user } = renderApp('/pricing');
    await screen.findByText(/当前显示分组：default \(默认分组\)，倍率 1/);
    const row = (await screen.findByText('gpt-4o')).closest('tr');
    if (!row) return expect.unreachable();
    expect(row.textContent).toContain('$2.50');
    expect(row.textContent).toContain('$10.00');
    await user.click(within(row).getByRole('button', { name: '详情' }));
    const detail = await screen.findByRole('table', { name: 'gpt-4o' });
    expect(within(detail).getByRole('row', { name: /^vip/ }).textContent).toContain('$2.00$8.00$1.00');
    expect(detail.parentElement?.tabIndex).toBe(0);
  });

  it('shows from when on another price is known, in the list and below a model', async () => {
    const [chat] = pricing;
    if (!chat) return expect.unreachable();
    const from = Date.UTC(2027, 0, 1) / 1000;
    const next = { from, quota_type: 0 as const, model_price: 0, model_ratio: 5, completion_ratio: 4 };
    const answer = ok([{ ...chat, next }]);
    Object.assign(answer.envelope, pricingGroups);
    const { user } = renderApp('/pricing', { override: ({ path }) => (path === '/api/pricing' ? answer : undefined) });
    const row = (await screen.findByText(chat.model_name)).closest('tr');
    if (!row) return expect.unreachable();
    const mark = `${formatTime(from)} 起调价`;
    expect(within(row).getByText(mark)).toBeTruthy();
    await user.click(within(row).getByRole('button', { name: '详情' }));
    const detail = await screen.findByRole('table', { name: chat.model_name });
    expect(within(detail).getAllByText(mark)[0]?.closest('tr')?.textContent).toContain(`default ${mark}1$10.00$40.00`);
    expect(within(detail).getAllByRole('row', { name: /^default/ })).toHaveLength(2);
  });

  it('shows a price per second as one, in the list and below a model', async () => {
    const { user } = renderApp('/pricing');
    const row = (await screen.findByText('sora-2')).closest('tr');
    if (!row) return expect.unreachable();
    expect(row.textContent).toContain('按秒计费');
    expect(row.textContent).toContain('$0.10 / 秒');
    await user.click(within(row).getByRole('button', { name: '详情' }));
    const detail = await screen.findByRole('table', { name: 'sora-2' });
    expect(within(detail).getByRole('row', { name: /^分组/ }).textContent).toContain('按秒计费');
  });

  it('is sorted by name and prices, by click and by keyboard; what has no such price stays behind', async () => {
    const { user, router } = renderApp('/pricing?size=20');
    const head = await screen.findByRole('columnheader', { name: /^提示/ });
    const shown = () => screen.getAllByRole('row').flatMap((row) => row.querySelectorAll('td')[2]?.textContent ?? []);
    await user.click(within(head).getByRole('button'));
    expect(router.state.location.href).toBe('/pricing?size=20&sort=in');
    expect(head.getAttribute('aria-sort')).toBe('ascending');
    const upwards = shown();
    expect([upwards[0], ...upwards.slice(-2)]).toEqual(['gpt-4o-mini', 'dall-e-3', 'sora-2']);
    within(head).getByRole('button').focus();
    await user.keyboard('{Enter}');
    expect(head.getAttribute('aria-sort')).toBe('descending');
    expect(shown().slice(-2)).toEqual(['dall-e-3', 'sora-2']);
    expect(shown()[0]).not.toBe('gpt-4o-mini');
    await user.keyboard('{Enter}');
    expect(head.getAttribute('aria-sort')).toBe('none');
    expect(router.state.location.href).toBe('/pricing?size=20');
    await user.click(screen.getByRole('button', { name: /^模型/ }));
    expect(shown()[0]).toBe('claude-3-7-sonnet-20250219');
    expect(readPricingSearch({ sort: 'x' }).sort).toBeUndefined();
  });

  it('copies what is selected and shows the prices of the chosen group', async () => {
    const { user, router } = renderApp('/pricing?group=vip', { signedIn: common });
    await screen.findByText(/您的分组：vip/);
    const row = (await screen.findByText('gpt-4o-mini')).closest('tr');
    if (!row) return expect.unreachable();
    await user.click(within(row).getByRole('checkbox'));
    await user.click(screen.getByRole('button', { name: '复制所选（1）' }));
    expect(await navigator.clipboard.readText()).toBe('gpt-4o-mini');
    await user.selectOptions(screen.getByLabelText('分组'), 'default');
    await screen.findByText(/您的分组：default/);
    expect(router.state.location.search).toMatchObject({ group: 'default' });
  });

  it('shows the group that the user has now, whatever it was when they signed in', async () => {
    const self = { ...userOf(common), group: 'vip' };
    renderApp('/pricing', {
      signedIn: common,
      override: ({ path }) => (path === '/api/user/self' ? ok(self) : undefined),
    });
    expect(await screen.findByText(/您的分组：vip/)).toBeTruthy();
    // Also after a reload, before anything was asked.
    expect(JSON.parse(localStorage.getItem('user') ?? '')).toMatchObject({ id: common.id, group: 'vip' });
  });

  it('claims no group and no ratio while the list is not there', async () => {
    renderApp('/pricing', { override: ({ path }) => (path === '/api/pricing' ? refuse('数据库不可用', 500) : undefined) });
    await screen.findByText('数据库不可用', { exact: false });
    expect(screen.queryByText(/当前显示分组/)).toBeNull();
  });

  it('says that there is nothing yet', async () => {
    renderApp('/pricing', { override: ({ path }) => (path === '/api/pricing' ? ok([]) : undefined) });
    await screen.findByText('还没有可用的模型');
  });
});
