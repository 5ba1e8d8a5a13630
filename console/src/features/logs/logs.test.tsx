import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { logType, type Receipt } from '@tollgate/contract';
import { describe, expect, it, vi } from 'vitest';
import { common, logOf, logs, now, root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { receipt } from '../../../test/prices.ts';
import { renderApp } from '../../../test/render.tsx';
import { setLanguage } from '../../i18n/language.ts';
import { billingOf, billOfRow } from './billing.ts';
import { contentOf } from './content.ts';
import { durationTone, firstTokenTone, typeOf } from './model.ts';
import { readLogSearch } from './search.ts';

const billOf = (fields: Parameters<typeof logOf>[0], other: object) =>
  billOfRow(logOf({ ...fields, other: JSON.stringify(other) }), 500_000);

describe('the arithmetic of a row without a receipt', () => {
  it('is recomputed from the row: prompt, cache and completion, rounded once', () => {
    const bill = billOf(
      { prompt_tokens: 1000, completion_tokens: 200, quota: Math.round((600 + 400 * 0.5 + 200 * 4) * 1.25 * 0.8) },
      { model_ratio: 1.25, completion_ratio: 4, group_ratio: 0.8, model_price: -1, cache_tokens: 400, cache_ratio: 0.5 },
    );
    expect(bill?.lines).toEqual([
      { part: 'prompt', amount: 600, ratio: 1 },
      { part: 'cached', amount: 400, ratio: 0.5 },
      { part: 'completion', amount: 200, ratio: 4 },
    ]);
  });

  it('of a fixed price is the price times the group', () => {
    expect(billOf({ quota: 40_000 }, { model_price: 0.04, group_ratio: 2 })).toMatchObject({ callPrice: 0.04 });
  });

  it('never rounds a priced call down to nothing, and charges nothing at ratio 0', () => {
    expect(billOf({ quota: 1 }, { model_ratio: 1, group_ratio: 1 })).toBeDefined();
    expect(billOf({ quota: 0, prompt_tokens: 100 }, { model_ratio: 0, group_ratio: 1 })).toBeDefined();
  });

  it("uses the user's own group ratio where there is one", () => {
    const bill = billOf({ prompt_tokens: 2, quota: 1 }, { model_ratio: 1, group_ratio: 1, user_group_ratio: 0.5 });
    expect(bill).toMatchObject({ groupRatio: 0.5, ownGroupRatio: true });
  });

  it('counts cache tokens beside the prompt where the upstream does', () => {
    const bill = billOf(
      { prompt_tokens: 100, completion_tokens: 1, quota: 106 },
      { claude: true, model_ratio: 1, cache_tokens: 50, cache_ratio: 0.1 },
    );
    expect(bill?.lines[0]).toEqual({ part: 'prompt', amount: 100, ratio: 1 });
  });

  it('tells sound from text', () => {
    const sound = { audio_input: 60, audio_output: 20, text_input: 40, text_output: 10, audio_ratio: 8 };
    const bill = billOf(
      { prompt_tokens: 100, completion_tokens: 30, quota: Math.round((40 + 10 * 4 + 60 * 8 + 20 * 8 * 2) * 2.5) },
      { ws: true, ...sound, audio_completion_ratio: 2, model_ratio: 2.5, completion_ratio: 4, group_ratio: 1 },
    );
    expect(bill?.lines).toEqual([
      { part: 'prompt', amount: 40, ratio: 1 },
      { part: 'audio_prompt', amount: 60, ratio: 8 },
      { part: 'completion', amount: 10, ratio: 4 },
      { part: 'audio_completion', amount: 20, ratio: 16 },
    ]);
  });

  it('is that of rows from elsewhere, too, which were rounded down', () => {
    const other = { claude: true, model_ratio: 1.5, completion_ratio: 5, group_ratio: 1, cache_tokens: 50, cache_ratio: 0.1 };
    const charged = (quota: number) => billOf({ prompt_tokens: 100, completion_tokens: 10, quota }, other);
    // 232.5
    expect([charged(232), charged(233)]).not.toContain(undefined);
    expect([charged(231), charged(234)]).toEqual([undefined, undefined]);
    expect(billOf({ quota: 1_234 }, { model_price: 0.0012345, group_ratio: 2 })).toMatchObject({ callPrice: 0.0012345 });
  });

  it('is left out where it does not give the charge', () => {
    expect(billOf({ quota: 60_000 }, { model_price: 0.04, group_ratio: 1 })).toBeUndefined();
  });

  it('agrees with every sample row', () => {
    for (const entry of logs.filter((row) => row.type === 2)) expect(billOfRow(entry, 500_000)).toBeDefined();
  });

  it('survives a row whose details are missing or damaged', () => {
    for (const other of ['', 'null', '[]', '{"model_ratio":"x","admin_info":7}'])
      expect(billingOf({ other })).toMatchObject({ callPrice: -1, channels: [] });
  });
});

it('says in English how a call was charged, and leaves the words of others alone', () => {
  const content = '模型倍率 1.25，补全倍率 4.00，音频补全倍率 2.00，分组倍率 1.00，模型 gpt-4o';
  expect(contentOf(logOf({ content }))).toBe(content);
  setLanguage('en');
  expect(contentOf(logOf({ content }))).toBe(
    'model ratio 1.25, completion ratio 4.00, audio completion ratio 2.00, group ratio 1.00, model gpt-4o',
  );
  expect(contentOf(logOf({ content: '模型价格 0.04，分组倍率 1.00, 大小 1024x1024, 品质 hd，请求图片 4，交付图片 2' }))).toBe(
    'price 0.04, group ratio 1.00, size 1024x1024, quality hd, images asked for 4, images delivered 2',
  );
  expect(contentOf({ type: logType.system, content })).toBe(content);
  expect(contentOf(logOf({ content: '模型测试' }))).toBe('model test');
  expect(contentOf(logOf({ content: '模型倍率 1.00，分组倍率 1.00（可能是上游超时）' }))).toBe(
    'model ratio 1.00, group ratio 1.00 (the upstream may have timed out)',
  );
  expect(contentOf(logOf({ content: '模型价格 0.04，分组倍率 1.00, （可能是请求出错）' }))).toBe(
    'price 0.04, group ratio 1.00 (the call may have failed)',
  );
  expect(contentOf(logOf({ content: '（可能是上游出错）' }))).toBe('(the upstream may have failed)');
  setLanguage('zh');
});

it.each([
  [logType.topup, '通过兑换码充值 ＄0.200000 额度，兑换码ID 1', 'redeemed: $0.200000, code ID 1'],
  [logType.topup, '使用在线充值成功，充值金额: 5000 点额度，支付金额：7.300000', 'topped up online: 5000 units, paid 7.300000'],
  [
    logType.admin,
    '管理员将用户额度从 ＄0.200000 额度修改为 ＄1.000000 额度，原因：补偿 额度，原因：断线',
    'balance set by an administrator: $0.200000 → $1.000000, reason: 补偿 额度，原因：断线',
  ],
  [logType.system, '构图失败 17，补偿 ＄0.040000 额度', 'drawing failed: 17, given back: $0.040000'],
  [logType.topup, '在线充值退款，扣回 ＄0.200000 额度', 'payment refunded, taken back: $0.200000'],
  [logType.system, '自用模式自动补充额度 ＄100.000000 额度', 'self-use mode, filled up: $100.000000'],
  [logType.error, '新用户注册赠送', '新用户注册赠送'],
  [logType.error, '另有 12 个错误未逐条记录', '12 more errors, not listed one by one'],
  [logType.system, '额度已由别处的程序修改为 5', '额度已由别处的程序修改为 5'],
])('says in English what else moved a balance, and leaves the words of others alone', (type, content, english) => {
  expect(contentOf({ type, content })).toBe(content);
  setLanguage('en');
  expect(contentOf({ type, content })).toBe(english);
  setLanguage('zh');
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
      override: ({ path }) => {
        if (path === '/api/log/1/receipt') return refuse('没有这个请求的记录', 404);
        return path === '/api/log' ? ok({ items: [entry], page: 1, page_size: 10, total: 1 }) : undefined;
      },
    });
    await app.user.click(await screen.findByRole('button', { name: '详情' }));
    await screen.findByText('(1,000 / 1M × $2.50 + 200 / 1M × $10.00) × 分组倍率 1 = $0.004500');
    expect(screen.getByText('实际扣费 $0.004500（2,250 点额度）')).toBeTruthy();
    expect(screen.getByRole('link', { name: '#4' }).getAttribute('href')).toBe('/channel?keyword=4');
    expect(screen.getAllByRole('link', { name: '#3' }).length).toBeGreaterThan(0);
    expect(screen.getByText(entry.request_id)).toBeTruthy();
  });

  const open = async (answer: Partial<Receipt> | undefined, fields: Parameters<typeof logOf>[0], inCurrency = true) => {
    const app = renderApp('/log', {
      signedIn: common,
      status: { display_in_currency: inCurrency },
      override: ({ path }) => {
        if (path === '/api/log/self') return ok({ items: [logOf(fields)], page: 1, page_size: 10, total: 1 });
        if (path === '/api/log/1/receipt') return answer ? ok({ ...receipt, ...answer }) : refuse('没有这个请求的记录', 404);
        return undefined;
      },
    });
    await app.user.click(await screen.findByRole('button', { name: '详情' }));
    return (await screen.findByRole('heading', { name: '计费明细' })).parentElement;
  };

  it('says of a test of a channel what it would have cost, and offers neither a receipt nor a route', async () => {
    const other = JSON.stringify({ test: true, would_cost: 4, admin_info: { use_channel: ['6'] } });
    const entry = logOf({ id: 1, channel: 6, token_id: 0, token_name: '模型测试', content: '模型测试', quota: 0, other });
    const app = renderApp('/log', {
      signedIn: root,
      override: ({ path }) => (path === '/api/log' ? ok({ items: [entry], page: 1, page_size: 10, total: 1 }) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '详情' }));
    await screen.findByText('渠道测试不扣费，否则花费 $0.000008');
    expect(screen.queryByText('计费明细')).toBeNull();
    for (const name of ['解释这笔费用', '查看路由过程']) expect(screen.queryByRole('button', { name })).toBeNull();
    setLanguage('en');
    expect((await screen.findAllByText('model test')).length).toBeGreaterThan(1);
    setLanguage('zh');
  });

  it('writes out every part of the receipt: sound, lasting caches and what the backup pool costs', async () => {
    const bill = await open(
      {
        lines: [
          { part: 'prompt', amount: '100', ratio: '1' },
          { part: 'audio_prompt', amount: '50', ratio: '16' },
          { part: 'cache_write_1h', amount: '10', ratio: '2' },
          { part: 'completion', amount: '20', ratio: '4' },
        ],
        ...{ model_ratio: '1.25', group_ratio: '1', surcharge: '1.5', cost: 1875, collected: 1800, shortfall: 75 },
      },
      { quota: 1800 },
    );
    await screen.findByText(
      '(100 / 1M × $2.50 + 50 / 1M × $40.00 + 10 / 1M × $5.00 + 20 / 1M × $10.00) × 分组倍率 1 × 1.5 = $0.003750',
    );
    expect(bill?.textContent).toContain('音频输入50$40.00$0.003000');
    expect(bill?.textContent).toContain('突发备用号池，倍率 1.5');
    expect(bill?.textContent).toContain('未收足 $0.000150');
    expect(bill?.textContent).toContain('实际扣费 $0.003600（1,800 点额度）');
  });

  it('multiplies by what the way that the call was served costs, and names it', async () => {
    const call: Partial<Receipt> = { kind: 'call', lines: [{ part: 'calls', amount: '1', ratio: '1' }], call_price: '0.1' };
    const fast = { service_tier: 'fast', service_tier_ratio: '6', group_ratio: '1', cost: 300_000, collected: 300_000 };
    const bill = await open({ ...call, ...fast }, { quota: 300_000 });
    await screen.findByText('$0.10 / 次 × 1 × 分组倍率 1 × 6 = $0.600000');
    expect(bill?.textContent).toContain('fast × 6');
  });

  it('adds what tools of the upstream cost, at the ratios that multiply them', async () => {
    const call: Partial<Receipt> = { kind: 'call', lines: [{ part: 'calls', amount: '1', ratio: '1' }], call_price: '0.1' };
    const tools = [{ tool: 'web_search', uses: 3, price: '10' }];
    const fast = { tools, service_tier: 'fast', service_tier_ratio: '6', surcharge: '1.5', group_ratio: '2' };
    await open({ ...call, ...fast, cost: 945_000, collected: 945_000 }, { quota: 945_000 });
    await screen.findByText('$0.10 / 次 × 1 × 分组倍率 2 × 1.5 × 6 + web_search 3 × $0.01 × 2 × 1.5 = $1.890000');
  });

  it('multiplies a fixed price by the calls or the seconds that it was charged for', async () => {
    const film: Partial<Receipt> = { kind: 'call', lines: [{ part: 'calls', amount: '12', ratio: '1' }], call_price: '0.1' };
    await open({ ...film, group_ratio: '1', per_second: true, cost: 600_000, collected: 600_000 }, { quota: 600_000 });
    await screen.findByText('$0.10 / 秒 × 12 × 分组倍率 1 = $1.200000');
    cleanup();
    await open({ ...film, group_ratio: '2', cost: 1_200_000, collected: 1_200_000 }, { quota: 1_200_000 });
    await screen.findByText('$0.10 / 次 × 12 × 分组倍率 2 = $2.400000');
  });

  it('says of an answer that was cut off why, and what is charged for it', async () => {
    for (const [other, text] of [
      ['{"model_price":-1,"cut":true}', /调用方提前断开，或上游中断。已经产生的用量照常计费。/],
      ['{"model_price":0.04,"cut":true,"cut_by":"timeout"}', /回答不完整：上游超时。$/],
      ['{"model_price":-1,"cut_by":"length"}', /回答不完整：达到 Token 上限。/],
    ] as const) {
      const call = await open({}, { other });
      await waitFor(() => expect(call?.textContent).toMatch(text));
      cleanup();
    }
    const whole = await open({}, { other: '{"model_price":-1}' });
    await waitFor(() => expect(whole?.textContent).toContain('实际扣费'));
    expect(whole?.textContent).not.toContain('回答不完整');
  });

  it('says where the sum of the parts is less than a call costs', async () => {
    const least = { group_ratio: '1', rounding: 'minimum', cost: 1, collected: 1 } as const;
    await open({ lines: [{ part: 'prompt', amount: '5', ratio: '1' }], model_ratio: '0.0001', ...least }, { quota: 1 });
    await screen.findByText('(5 / 1M × $0.0002) × 分组倍率 1 = $0.000002 (不足 1 点按 1 点计)');
  });

  it('counts in units throughout where the site does', async () => {
    const lines: Receipt['lines'] = [
      { part: 'prompt', amount: '12000', ratio: '1' },
      { part: 'completion', amount: '500', ratio: '4' },
    ];
    const cost = { group_ratio: '1', cost: 17_500, collected: 17_500 };
    const bill = await open({ lines, model_ratio: '1.25', ...cost }, { quota: 17_500 }, false);
    await screen.findByText('(12,000 / 1M × 1,250,000 + 500 / 1M × 5,000,000) × 分组倍率 1 = 17,500');
    expect(bill?.textContent).toContain('实际扣费 17,500 点额度');
    expect(bill?.textContent).not.toContain('$');
  });

  it('says nothing but the charge where there is no receipt and the row does not add up', async () => {
    const other = '{"model_ratio":1,"group_ratio":1,"model_price":-1}';
    const bill = await open(undefined, { prompt_tokens: 10, quota: 7, other });
    await waitFor(() => expect(bill?.textContent).toBe('计费明细实际扣费 $0.000014（7 点额度）'));
  });

  it('takes a chosen range and a typed time into the address', async () => {
    const app = renderApp('/log', { signedIn: common });
    await screen.findAllByText('gpt-4o');
    const pressed = () => screen.getAllByRole('button', { pressed: true }).map(({ textContent }) => textContent);
    expect(pressed()).toEqual(['最近一小时']);
    await app.user.click(screen.getByRole('button', { name: '近 7 天' }));
    await waitFor(() => expect(app.router.state.location.href).toMatch(/^\/log\?from=\d+&to=\d+$/));
    expect(pressed()).toEqual(['近 7 天']);
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: '开始时间' });
    await app.user.clear(field);
    await app.user.type(field, '2026-11-01 00:00:00');
    await waitFor(() => expect(app.router.state.location.href).toContain(`from=${new Date(2026, 10, 1).getTime() / 1000}`));
    const [choice] = within(screen.getByRole('combobox', { name: '类型' })).getAllByRole('option');
    expect(choice?.textContent).toBe('全部类型');
  });

  it('takes the last hour for the one before now, however long the page was open', async () => {
    const app = renderApp('/log', { signedIn: common });
    await screen.findAllByText('gpt-4o');
    const later = now + 5 * 3600;
    vi.setSystemTime(later * 1000);
    await app.user.click(screen.getByRole('button', { name: '最近一小时' }));
    const ends = () => app.calls.filter(({ path }) => path === '/api/log/self').map(({ query }) => Number(query.end_timestamp));
    await waitFor(() => expect(ends()).toEqual([now + 3600, later + 3600]));
  });

  it('reads the sums again with the rows', async () => {
    const app = renderApp('/log?from=100&to=200', { signedIn: root });
    await screen.findAllByText('gpt-4o');
    const read = (path: string) => app.calls.filter((call) => call.path === path).length;
    await waitFor(() => expect([read('/api/log'), read('/api/log/stat')]).toEqual([1, 1]));
    await app.user.click(screen.getByRole('button', { name: '刷新' }));
    await waitFor(() => expect([read('/api/log'), read('/api/log/stat')]).toEqual([2, 2]));
  });

  it('looks for the id of a call at any time, and shows no range then', async () => {
    const app = renderApp('/log?from=100&to=200', { signedIn: root });
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: '开始时间' });
    expect(field.value).not.toBe('');
    await app.user.type(screen.getByRole('searchbox', { name: '请求 ID' }), 'call-1{Enter}');
    await waitFor(() => expect(field.value).toBe(''));
    expect(field.closest('fieldset')?.disabled).toBe(true);
    expect(screen.getByRole('button', { name: '近 7 天' }).hasAttribute('disabled')).toBe(true);
    await app.user.click(screen.getByRole('button', { name: '导出' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '导出 CSV' }));
    const asked = () => app.calls.filter(({ query }) => query.request_id === 'call-1');
    const paths = ['/api/log', '/api/log/export', '/api/log/stat'];
    await waitFor(() => expect([...new Set(asked().map(({ path }) => path))].sort()).toEqual(paths));
    for (const { query } of asked()) expect(Object.keys(query).filter((name) => name.includes('timestamp'))).toEqual([]);
    await app.user.clear(screen.getByRole('searchbox', { name: '请求 ID' }));
    await waitFor(() => expect(field.value).not.toBe(''));
  });
});
