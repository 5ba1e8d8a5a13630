import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { common, logOf, logs, root } from '../../../test/fixtures.ts';
import { ok } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { billingLines, billingOf, formulaCost } from './billing.ts';
import { durationTone, firstTokenTone, typeOf } from './model.ts';
import { readLogSearch } from './search.ts';

const charge = (fields: Parameters<typeof logOf>[0], other: object) => {
  const entry = logOf({ ...fields, other: JSON.stringify(other) });
  const billing = billingOf(entry);
  const lines = billing.kind === 'token' ? billingLines(entry, billing, 500_000) : [];
  return { billing, lines, cost: formulaCost(lines, billing, 500_000) };
};

describe('the arithmetic of a charge', () => {
  it('is recomputed from the row: prompt, cache and completion, rounded once', () => {
    const { lines, cost } = charge(
      { prompt_tokens: 1000, completion_tokens: 200 },
      { model_ratio: 1.25, completion_ratio: 4, group_ratio: 0.8, model_price: -1, cache_tokens: 400, cache_ratio: 0.5 },
    );
    expect(lines.map(({ part, tokens, pricePerMillion }) => [part, tokens, pricePerMillion])).toEqual([
      ['prompt', 600, 2.5],
      ['cache', 400, 1.25],
      ['completion', 200, 10],
    ]);
    expect(cost).toBe(Math.round((600 + 400 * 0.5 + 200 * 4) * 1.25 * 0.8));
  });

  it('of a fixed price is the price times the group', () => {
    const { billing, cost } = charge({}, { model_price: 0.04, group_ratio: 2 });
    expect(billing.kind).toBe('call');
    expect(cost).toBe(40_000);
  });

  it('never rounds a priced call down to nothing, and charges nothing at ratio 0', () => {
    expect(charge({ prompt_tokens: 0, completion_tokens: 0 }, { model_ratio: 1, group_ratio: 1 }).cost).toBe(1);
    expect(charge({ prompt_tokens: 100 }, { model_ratio: 0, group_ratio: 1 }).cost).toBe(0);
  });

  it("uses the user's own group ratio where there is one", () => {
    const { billing } = charge({}, { model_ratio: 1, group_ratio: 1, user_group_ratio: 0.5 });
    expect([billing.groupRatio, billing.ownGroupRatio]).toEqual([0.5, true]);
  });

  it('counts cache tokens beside the prompt where the upstream does', () => {
    const { lines } = charge(
      { prompt_tokens: 100, completion_tokens: 1 },
      { claude: true, model_ratio: 1, cache_tokens: 50, cache_ratio: 0.1 },
    );
    expect(lines[0]).toMatchObject({ part: 'prompt', tokens: 100 });
  });

  it('agrees with every sample row', () => {
    for (const entry of logs.filter((row) => row.type === 2)) {
      const billing = billingOf(entry);
      expect(formulaCost(billingLines(entry, billing, 500_000), billing, 500_000)).toBe(entry.quota);
    }
  });

  it('survives a row whose details are missing or damaged', () => {
    for (const other of ['', 'null', '[]', '{"model_ratio":"x","admin_info":7}'])
      expect(billingOf({ other })).toMatchObject({ kind: 'token', channels: [] });
  });
});

it('badges change colour at the steps of the product', () => {
  expect([100, 101, 299, 300].map(durationTone)).toEqual(['ok', 'warn', 'warn', 'bad']);
  expect([2.9, 3, 9.9, 10].map(firstTokenTone)).toEqual(['ok', 'warn', 'warn', 'bad']);
  expect([1, 2, 3, 4, 9].map((type) => typeOf(type).text)).toEqual(['充值', '消费', '管理', '系统', '未知']);
});

describe('the log page', () => {
  it('keeps every filter in the address', () => {
    const raw = {
      from: '100',
      to: '200',
      token: 'a',
      model: 'm',
      group: 'g',
      channel: '3',
      user: 'u',
      type: '2',
      p: '2',
      size: '50',
    };
    expect(readLogSearch(raw)).toEqual({
      from: 100,
      to: 200,
      token: 'a',
      model: 'm',
      group: 'g',
      channel: 3,
      user: 'u',
      type: 2,
      p: 2,
      size: 50,
    });
    expect(Object.values(readLogSearch({ type: '9', size: '33', p: '0', from: 'x' })).every((value) => value === undefined)).toBe(
      true,
    );
  });

  it('asks an administrator for everybody, with the filters of the address', async () => {
    const app = renderApp('/log?from=100&to=200&model=gpt&channel=3&user=li&type=2&p=2', { signedIn: root });
    await screen.findAllByText('gpt-4o');
    expect(app.calls.find((call) => call.path === '/api/log')?.query).toEqual({
      ...{
        p: '2',
        page_size: '10',
        start_timestamp: '100',
        end_timestamp: '200',
        model_name: '%gpt%',
        channel: '3',
        username: 'li',
        type: '2',
      },
    });
    expect(app.calls.find((call) => call.path === '/api/log/stat')?.query).toMatchObject({
      start_timestamp: '100',
      username: 'li',
    });
    expect(screen.getByText('第 2 页')).toBeTruthy();
    expect(screen.getByText('共 10,000+ 条')).toBeTruthy();
    expect(screen.getByText('183.2k')).toBeTruthy();
  });

  it('shows other users their own rows, without channels and users', async () => {
    const app = renderApp('/log?channel=3&user=li', { signedIn: common });
    await screen.findAllByText('gpt-4o');
    const query = app.calls.find((call) => call.path === '/api/log/self')?.query ?? {};
    expect(query).not.toHaveProperty('channel');
    expect(query).not.toHaveProperty('username');
    expect(screen.queryByRole('columnheader', { name: '渠道' })).toBeNull();
    expect(screen.queryByRole('searchbox', { name: '用户' })).toBeNull();
  });

  it('spells out how a call was charged, and which channels were tried', async () => {
    const entry = logOf({
      id: 1,
      prompt_tokens: 1000,
      completion_tokens: 200,
      quota: 2250,
      other: JSON.stringify({
        model_ratio: 1.25,
        completion_ratio: 4,
        group_ratio: 1,
        model_price: -1,
        admin_info: { use_channel: ['4', '3'] },
      }),
    });
    const app = renderApp('/log', {
      signedIn: root,
      override: ({ path }) => (path === '/api/log' ? ok({ items: [entry], page: 1, page_size: 10, total: 1 }) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '详情' }));
    expect(screen.getByText('(1,000 / 1M × $2.5 + 200 / 1M × $10) × 分组倍率 1 = $0.004500')).toBeTruthy();
    expect(screen.getByText('实际扣费 $0.004500（2,250 点额度）')).toBeTruthy();
    expect(screen.getByRole('link', { name: '#4' }).getAttribute('href')).toBe('/channel?keyword=4');
    expect(screen.getAllByRole('link', { name: '#3' }).length).toBeGreaterThan(0);
    expect(screen.queryByText('仅供参考，以实际扣费为准')).toBeNull();
    expect(screen.getByText(entry.request_id)).toBeTruthy();
  });

  it('says that the amount charged counts where the formula differs', async () => {
    const entry = logOf({ prompt_tokens: 10, quota: 7, other: '{"model_ratio":1,"group_ratio":1,"model_price":-1}' });
    const app = renderApp('/log', {
      signedIn: common,
      override: ({ path }) => (path === '/api/log/self' ? ok({ items: [entry], page: 1, page_size: 10, total: 1 }) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '详情' }));
    expect(screen.getByText('仅供参考，以实际扣费为准')).toBeTruthy();
  });

  it('takes a chosen range and a typed time into the address', async () => {
    const app = renderApp('/log', { signedIn: common });
    await screen.findAllByText('gpt-4o');
    await app.user.click(screen.getByRole('button', { name: '近 7 天' }));
    await waitFor(() => expect(app.router.state.location.href).toMatch(/^\/log\?from=\d+&to=\d+$/));
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: '开始时间' });
    await app.user.clear(field);
    await app.user.type(field, '2026-11-01 00:00:00');
    await waitFor(() => expect(app.router.state.location.href).toContain(`from=${new Date(2026, 10, 1).getTime() / 1000}`));
    const [choice] = within(screen.getByRole('combobox', { name: '类型' })).getAllByRole('option');
    expect(choice?.textContent).toBe('全部类型');
  });
});
