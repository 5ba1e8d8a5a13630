import { act, screen, waitFor, within } from '@testing-library/react';
import { neutralPolicy, type Token, tokenBody, tokenUpdate } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { common, tokenOf } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { changeOf, draftOf, newDraft, parseExpiry, type TokenDraft, toInput, toInputs, tokenSchema } from './draft.ts';

const dollars = { quotaPerUnit: 500_000, inCurrency: true };
const draft = (fields: Partial<TokenDraft> = {}): TokenDraft => ({ ...newDraft(dollars, ''), name: 'a', ...fields });
const faults = (fields: Partial<TokenDraft>): string[] => {
  const result = tokenSchema(dollars).safeParse(draft(fields));
  return result.success ? [] : result.error.issues.map((issue) => String(issue.path[0]));
};

describe('the rules of the token form', () => {
  it('ask for a name of at most 30 characters', () => {
    expect(faults({ name: '  ' })).toEqual(['name']);
    expect(faults({ name: '令'.repeat(30) })).toEqual([]);
    expect(faults({ name: 'x'.repeat(31) })).toEqual(['name']);
  });

  it('leave room for what tells several apart, and an imported name as long as it is', () => {
    expect(faults({ name: 'x'.repeat(23), count: '2' })).toEqual([]);
    expect(faults({ name: 'x'.repeat(24), count: '2' })).toEqual(['name']);
    expect(faults({ name: 'x'.repeat(30), count: '2', unlimited: true })).toEqual([]);
    expect(toInputs(draft({ name: 'x'.repeat(23), count: '2' }), dollars).map(({ name }) => name.length)).toEqual([23, 30]);
    const long = draft({ name: 'x'.repeat(40) });
    expect(tokenSchema(dollars, long).safeParse(long).success).toBe(true);
    expect(tokenSchema(dollars, long).safeParse({ ...long, name: 'y'.repeat(40) }).success).toBe(false);
  });

  it('take a date, nothing or -1 as expiry', () => {
    expect(parseExpiry('')).toBe(-1);
    expect(parseExpiry(' -1 ')).toBe(-1);
    expect(parseExpiry('2026-11-20 10:00:00')).toBeGreaterThan(0);
    expect(faults({ expires: 'soon' })).toEqual(['expires']);
  });

  it('do not judge quota and count of an unlimited token', () => {
    expect(faults({ quota: '-1', count: '0' })).toEqual(['quota', 'count']);
    expect(faults({ quota: '-1', count: '0', unlimited: true })).toEqual([]);
    for (const count of ['', '1.5', '101', 'x']) expect(faults({ count })).toEqual(['count']);
  });

  it('name the first address that is none', () => {
    const result = tokenSchema(dollars).safeParse(draft({ ips: '10.0.0.0/8\nhome' }));
    expect(result.error?.issues[0]?.message).toContain('home');
  });

  it('ask for a model where models are limited, but leave a token that was like that before as it is', () => {
    const barred = { limitModels: true, models: [] };
    expect(faults(barred)).toEqual(['models']);
    expect(faults({ ...barred, models: ['gpt-4o'] })).toEqual([]);
    expect(tokenSchema(dollars, draft(barred)).safeParse(draft({ ...barred, name: 'b' })).success).toBe(true);
    expect(tokenSchema(dollars, draft()).safeParse(draft(barred)).success).toBe(false);
  });

  it('take as many addresses and models as the server does, and longer lists that stay', () => {
    const addresses = (count: number) =>
      Array.from({ length: count }, (_, index) => `10.0.${index >> 8}.${index & 255}`).join('\n');
    const models = (count: number) => Array.from({ length: count }, (_, index) => `model-${index}`);
    expect(faults({ ips: addresses(256), denyIps: addresses(256), limitModels: true, models: models(1000) })).toEqual([]);
    const long = { ips: addresses(257).replaceAll('\n', ' '), denyIps: addresses(257), limitModels: true, models: models(1001) };
    expect(faults(long)).toEqual(['models', 'ips', 'denyIps']);
    const judged = tokenSchema(dollars, draft(long));
    expect(judged.safeParse(draft({ ...long, models: [...models(1000), 'other'] })).success).toBe(true);
    expect(judged.safeParse(draft({ ...long, ips: addresses(258) })).error?.issues).toMatchObject([
      { path: ['ips'], message: '最多 256 个地址或网段' },
    ]);
  });
});

describe('what is sent', () => {
  it('is what the contract expects', () => {
    const input = toInput(draft({ quota: '2.5', limitModels: true, models: ['a', 'b'], ips: ' 10.0.0.1 \n\n10.0.0.1' }), dollars);
    expect(tokenBody.safeParse(input).success).toBe(true);
    expect(input).toMatchObject({ remain_quota: 1_250_000, expired_time: -1, model_limits: 'a,b', allow_ips: '10.0.0.1' });
  });

  it('is one token per count, the further ones with a random suffix', () => {
    const names = toInputs(draft({ name: 'ci', count: '30' }), dollars).map((input) => input.name);
    expect(names[0]).toBe('ci');
    expect(names.slice(1).every((name) => /^ci-[A-Za-z0-9]{6}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(30);
    expect(toInputs(draft({ count: '30', unlimited: true }), dollars)).toHaveLength(1);
  });

  it('is unchanged for a token that was only opened and saved', () => {
    const token = tokenOf({
      name: 'x',
      remain_quota: 1_234_567,
      expired_time: 1_800_000_000,
      model_limits: 'a,b',
      allow_ips: '::1',
    });
    const { name, remain_quota, expired_time, model_limits, allow_ips, group, unlimited_quota, model_limits_enabled } = token;
    expect(toInput(draftOf(token, dollars), dollars)).toEqual({
      ...{ name, remain_quota, expired_time, model_limits, allow_ips, group, unlimited_quota, model_limits_enabled },
      ...neutralPolicy,
    });
  });
});

describe('what an edit sends', () => {
  const edit = (token: Partial<Token>, fields: Partial<TokenDraft>) => {
    const before = tokenOf({ id: 11, name: 'x', remain_quota: 1_234_567, ...token });
    const change = changeOf(before, { ...draftOf(before, dollars), ...fields }, dollars);
    expect(tokenUpdate.safeParse(change).data).toEqual(change);
    return change;
  };

  it('is what differs, and no quota that nobody touched: what is spent meanwhile would come back', () => {
    expect(edit({}, {})).toEqual({ id: 11, name: 'x' });
    expect(edit({ remain_quota: -7 }, { name: ' y ', rpm: '60' })).toEqual({ id: 11, name: 'y', rpm: 60 });
    expect(edit({ model_limits: 'a,b' }, { models: ['b'], ips: '::1' })).toEqual({
      ...{ id: 11, name: 'x', model_limits: 'b', allow_ips: '::1' },
    });
    expect(edit({ unlimited_quota: true, remain_quota: -7 }, { quota: '3' })).toEqual({ id: 11, name: 'x' });
  });

  it('is a new quota with the one that it replaces', () => {
    const quota = { remain_quota: 1_500_000, seen_remain_quota: 1_234_567, seen_version: 3 };
    expect(edit({}, { quota: '3' })).toEqual({ id: 11, name: 'x', ...quota });
    expect(edit({ remain_quota: -7 }, { quota: '3' })).toMatchObject({ remain_quota: 1_500_000, seen_remain_quota: 0 });
  });

  it('is the switch where that was turned, with a quota when there shall be a limit from now on', () => {
    expect(edit({}, { unlimited: true, quota: 'x' })).toEqual({ id: 11, name: 'x', unlimited_quota: true });
    expect(edit({ unlimited_quota: true }, { unlimited: false, quota: '3' })).toEqual({
      ...{ id: 11, name: 'x', unlimited_quota: false, remain_quota: 1_500_000, seen_version: 3 },
    });
  });
});

describe('the token editor', () => {
  it('starts at the name, shows the standard quota and creates what was typed', async () => {
    const app = renderApp('/token/add', { signedIn: common });
    const drawer = await screen.findByRole('dialog', { name: '添加令牌' });
    const name = within(drawer).getByLabelText(/^名称/);
    await waitFor(() => expect(document.activeElement).toBe(name));
    expect(within(drawer).getByText('等价金额：$1.00 · 500,000 点额度')).toBeTruthy();
    await app.user.type(name, 'ci');
    await app.user.click(within(drawer).getByRole('button', { name: '$50' }));
    await app.user.click(within(drawer).getByRole('button', { name: '创建令牌' }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/token'));
    expect(app.sent('POST', '/api/token')).toEqual([
      expect.objectContaining({ name: 'ci', remain_quota: 25_000_000, unlimited_quota: false }),
    ]);
  });

  it('switches quota and count off for an unlimited token', async () => {
    const app = renderApp('/token/add', { signedIn: common });
    const drawer = await screen.findByRole('dialog', { name: '添加令牌' });
    await app.user.click(within(drawer).getByRole('switch', { name: '无限额度' }));
    expect(within(drawer).getByLabelText('额度').hasAttribute('disabled')).toBe(true);
    expect(within(drawer).getByLabelText('新建数量').hasAttribute('disabled')).toBe(true);
    expect(within(drawer).getByRole('button', { name: '$50' }).hasAttribute('disabled')).toBe(true);
  });

  it('chooses a model with Enter without sending the form, and Escape does not empty the choice', async () => {
    const app = renderApp('/token/add', { signedIn: common });
    const drawer = within(await screen.findByRole('dialog', { name: '添加令牌' }));
    await app.user.type(drawer.getByLabelText(/^名称/), 'ci');
    await app.user.click(drawer.getByRole('switch', { name: '启用模型限制' }));
    await app.user.type(drawer.getByLabelText('允许的模型'), 'reasoner');
    await screen.findByRole('option', { name: /deepseek-reasoner/ });
    await app.user.keyboard('{Enter}');
    expect(await drawer.findByRole('button', { name: '移除 deepseek-reasoner' })).toBeTruthy();
    await app.user.type(drawer.getByLabelText('允许的模型'), 'no such model{Enter}{Escape}');
    expect(app.sent('POST', '/api/token')).toEqual([]);
    const question = within(await screen.findByRole('dialog', { name: '放弃未保存的修改？' }));
    await app.user.click(question.getByRole('button', { name: '取消' }));
    await app.user.click(await drawer.findByRole('button', { name: '创建令牌' }));
    await waitFor(() =>
      expect(app.sent('POST', '/api/token')).toEqual([expect.objectContaining({ model_limits: 'deepseek-reasoner' })]),
    );
  });

  it('asks before changes get lost, and stays when told so', async () => {
    const app = renderApp('/token/edit/11', { signedIn: common });
    const drawer = await screen.findByRole('dialog', { name: '编辑令牌：VS Code' });
    await app.user.type(within(drawer).getByLabelText(/^名称/), '!');
    await app.user.click(within(drawer).getByRole('button', { name: '取消' }));
    const question = await screen.findByRole('dialog', { name: '放弃未保存的修改？' });
    await app.user.click(within(question).getByRole('button', { name: '取消' }));
    expect(app.router.state.location.pathname).toBe('/token/edit/11');
    await app.user.click(within(drawer).getByRole('button', { name: '取消' }));
    await app.user.click(
      within(await screen.findByRole('dialog', { name: '放弃未保存的修改？' })).getByRole('button', { name: '放弃修改' }),
    );
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/token'));
  });

  it('sends the quota that was typed with the one that was shown, even when the token was read again meanwhile', async () => {
    let left = 900_000;
    const app = renderApp('/token/edit/11', {
      signedIn: common,
      override: ({ method, path }) =>
        method === 'GET' && path === '/api/token/11'
          ? ok(tokenOf({ id: 11, name: 'VS Code', remain_quota: left, unlimited_quota: false }))
          : undefined,
    });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑令牌：VS Code' }));
    left = 400_000;
    await app.readAgain();
    await app.user.clear(drawer.getByLabelText('额度'));
    await app.user.type(drawer.getByLabelText('额度'), '5');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() =>
      expect(app.sent('PUT', '/api/token')).toEqual([
        { id: 11, name: 'VS Code', remain_quota: 2_500_000, seen_remain_quota: 900_000, seen_version: 3 },
      ]),
    );
  });

  it.each([
    ['no answer came', 504],
    ['another edit came before', 409],
  ])('shows what the quota is by then when %s: the same difference is not added twice', async (_, status) => {
    let [left, answered] = [900_000, false];
    const app = renderApp('/token/edit/11', {
      signedIn: common,
      override: ({ method, path }) => {
        if (method === 'GET' && path === '/api/token/11') return ok(tokenOf({ id: 11, name: 'VS Code', remain_quota: left }));
        if (method !== 'PUT' || path !== '/api/token' || answered) return undefined;
        [left, answered] = [2_400_000, true];
        return refuse('', status);
      },
    });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑令牌：VS Code' }));
    await app.user.type(drawer.getByLabelText(/^名称/), '!');
    await app.user.clear(drawer.getByLabelText('额度'));
    await app.user.type(drawer.getByLabelText('额度'), '5');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(drawer.getByLabelText('额度')).toMatchObject({ value: '4.8' }));
    expect(drawer.getByRole('alert')).toBeTruthy();
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.sent('PUT', '/api/token')).toHaveLength(2));
    expect(app.sent('PUT', '/api/token')[1]).toEqual({ id: 11, name: 'VS Code!' });
  });

  it("keeps what was typed when the server refuses, with the server's words", async () => {
    const app = renderApp('/token/add', {
      signedIn: common,
      override: ({ method, path }) => (method === 'POST' && path === '/api/token' ? refuse('无权访问该分组') : undefined),
    });
    const drawer = await screen.findByRole('dialog', { name: '添加令牌' });
    await app.user.type(within(drawer).getByLabelText(/^名称/), 'ci');
    await app.user.click(within(drawer).getByRole('button', { name: '创建令牌' }));
    expect(await within(drawer).findByText('无权访问该分组')).toBeTruthy();
    expect(within(drawer).getByLabelText<HTMLInputElement>(/^名称/).value).toBe('ci');
  });

  it('makes one batch of two presses', async () => {
    const app = renderApp('/token/add', { signedIn: common });
    const drawer = await screen.findByRole('dialog', { name: '添加令牌' });
    await app.user.type(within(drawer).getByLabelText(/^名称/), 'ci');
    await app.user.clear(within(drawer).getByLabelText('新建数量'));
    await app.user.type(within(drawer).getByLabelText('新建数量'), '3');
    const create = within(drawer).getByRole('button', { name: '创建令牌' });
    act(() => {
      create.click();
      create.click();
    });
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/token'));
    expect(app.sent('POST', '/api/token')).toHaveLength(3);
  });

  it('says how far a batch came when it broke off', async () => {
    let calls = 0;
    const app = renderApp('/token/add', {
      signedIn: common,
      override: ({ method, path }) => {
        if (method !== 'POST' || path !== '/api/token') return undefined;
        calls += 1;
        return calls > 2 ? refuse('额度不足') : ok();
      },
    });
    const drawer = await screen.findByRole('dialog', { name: '添加令牌' });
    await app.user.type(within(drawer).getByLabelText(/^名称/), 'ci');
    await app.user.click(within(drawer).getByRole('button', { name: '10' }));
    await app.user.click(within(drawer).getByRole('button', { name: '创建令牌' }));
    expect(await screen.findByText('已创建 2 / 10 个令牌')).toBeTruthy();
    expect(calls).toBe(3);
  });
});

describe('the advanced fold', () => {
  it('judges limits, a rate only when it is on, and a host only when it is used', () => {
    expect(faults({ rpm: '1.5', quotaDay: 'much', denyIps: 'home' }).sort()).toEqual(['denyIps', 'quotaDay', 'rpm']);
    expect(faults({ rpm: '６０', tpm: '90,000', rpd: '90,00' })).toEqual(['rpd']);
    expect(faults({ rateCount: '', ratePeriod: '' })).toEqual([]);
    expect(faults({ rateOn: true, rateCount: '0', ratePeriod: '604801' })).toEqual(['rateCount', 'ratePeriod']);
    expect(faults({ mjHost: 'nonsense' })).toEqual([]);
    expect(faults({ mjImage: 'custom', mjHost: 'ftp://images.example.com' })).toEqual(['mjHost']);
  });

  it('keeps a policy that was only opened and saved, to the unit', () => {
    const policy: Partial<Token> = {
      ...{ rpm: 60, tpm: 90_000, rpd: 1000, quota_day: 1_234_567, quota_month: 50_000_000, concurrency: 4 },
      ...{ deny_ips: '10.0.0.1\n::1', rate_limit_enabled: true, rate_limit_count: 5, rate_limit_period: 60 },
      ...{ rate_limit_message: '慢一点', mj_mode: 'relax', mj_image_mode: 'custom', mj_image_host: 'https://i.example.com' },
      ...{ backup_pool_enabled: true, strict_conversion: true },
    };
    expect(toInput(draftOf(tokenOf(policy), dollars), dollars)).toMatchObject(policy);
  });

  it('opens for a fault inside and sends what was typed', async () => {
    const app = renderApp('/token/add', { signedIn: common });
    const drawer = within(await screen.findByRole('dialog', { name: '添加令牌' }));
    await app.user.type(drawer.getByLabelText(/^名称/), 'ci');
    await app.user.click(drawer.getByRole('button', { name: '高级设置' }));
    await app.user.type(drawer.getByLabelText('每分钟请求数'), 'many');
    await app.user.type(drawer.getByLabelText('每月金额上限'), '20');
    await app.user.click(drawer.getByRole('switch', { name: '严格转换' }));
    await app.user.click(drawer.getByRole('button', { name: '高级设置' }));
    await app.user.click(drawer.getByRole('button', { name: '创建令牌' }));
    expect(await drawer.findByText('请输入不小于 0 的整数')).toBeTruthy();
    await app.user.clear(drawer.getByLabelText('每分钟请求数'));
    await app.user.type(drawer.getByLabelText('每分钟请求数'), '60');
    await app.user.click(drawer.getByRole('button', { name: '创建令牌' }));
    await waitFor(() =>
      expect(app.sent('POST', '/api/token')).toEqual([
        expect.objectContaining({ rpm: 60, quota_month: 10_000_000, strict_conversion: true, backup_pool_enabled: false }),
      ]),
    );
  });
});
