import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { PricePreview, PriceVersion } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { common, now, root } from '../../../test/fixtures.ts';
import { type MockOptions, ok, refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { changesOf, faultyOptions, rowsOf, textsOf, withoutModel, withRow } from './draft.ts';
import { dollarsOfRatio, faultsOf, fieldsOf, numbersOf, ratioOfDollars } from './form.ts';

const ratios = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`model-${String(index).padStart(2, '0')}`, 1]));
const options = [
  { key: 'ModelRatio', value: JSON.stringify({ 'gpt-4o': 1.25, ...ratios }) },
  { key: 'CompletionRatio', value: '{"gpt-4o":4}' },
  { key: 'ModelPrice', value: '{"dall-e-3":0.04}' },
  { key: 'GroupRatio', value: '{"default":1,"vip":0.8}' },
  { key: 'Notice', value: 'hello' },
];
const revenue = { calls: 3, now: 500_000, next: 1_000_000 };
const preview: PricePreview = {
  inherited: [{ option: 'ModelRatio', model: 'brand-new', value: 1.5 }],
  ...{ rows: 3, complete: true, unpriced: 0, now: 500_000, next: 1_000_000, winners: [] },
  models: [{ name: 'gpt-4o', ...revenue }],
  users: [{ name: 'lihua', id: 2, ...revenue }],
  losers: [{ name: 'lihua', id: 2, ...revenue }],
};
const version: PriceVersion = {
  ...{ id: 3, author_id: 1, author: 'root', created_at: now, note: '', changed: 1 },
  diff: [{ option: 'ModelRatio', name: 'gpt-4o', from: '1', to: '1.25' }],
};
const row = { option: 'ModelRatio', from: 1.25, extreme: false, enabled: true } as const;
const offers = [
  { ...row, model: 'gpt-4o', to: 2.5, ratio_change: 2 },
  { ...row, model: 'o1', to: 7500, ratio_change: 6000, extreme: true },
];
const answers: Record<string, unknown> = {
  'GET /api/option': options,
  'GET /api/price/unpriced': ['brand-new'],
  'GET /api/price/versions': { items: [version], page: 1, page_size: 10, total: 1 },
  'POST /api/price/preview': preview,
  'GET /api/price/sync': { source: 'catalogue', rows: offers, truncated: false },
};
const override: MockOptions['override'] = ({ method, path }) => {
  const value = answers[`${method} ${path}`];
  return value === undefined ? undefined : ok(value);
};
const open = () => renderApp('/setting?tab=operation', { signedIn: root, override });

describe('the draft of prices', () => {
  const texts = textsOf(options);

  it('is one row per model, whatever options it stands in', () => {
    expect(rowsOf(texts).slice(0, 2)).toEqual([
      { id: 1, model: 'dall-e-3', numbers: { price: 0.04 } },
      { id: 2, model: 'gpt-4o', numbers: { ratio: 1.25, completion: 4 } },
    ]);
  });

  it('sends only the options that differ, and nothing when all is as before', () => {
    expect(changesOf(texts, withRow(texts, 'gpt-4o', { ratio: 1.25, completion: 3 }))).toEqual([
      { key: 'CompletionRatio', value: '{"gpt-4o":3}', seen: '{"gpt-4o":4}' },
    ]);
    expect(changesOf(texts, withRow(texts, 'gpt-4o', { completion: 4, ratio: 1.25 }))).toEqual([]);
    expect(changesOf(texts, withRow(texts, 'image', { price: 0.04 }, 'dall-e-3'))).toEqual([
      { key: 'ModelPrice', value: '{"image":0.04}', seen: '{"dall-e-3":0.04}' },
    ]);
    expect(changesOf(texts, withoutModel(texts, 'dall-e-3'))).toMatchObject([{ key: 'ModelPrice', value: '{}' }]);
  });

  it('knows which texts are no objects', () => {
    expect(faultyOptions({ ...texts, ModelRatio: '{"a":}', GroupRatio: '[]' })).toEqual(['ModelRatio', 'GroupRatio']);
  });
});

describe('the fields of a model', () => {
  it('take numbers only, and no name twice', () => {
    const fields = { ...fieldsOf({ model: 'gpt-4o', numbers: {} }), ratio: 'x', cache: '-1' };
    expect(faultsOf(fields, new Set(['gpt-4o']))).toEqual({
      model: '模型名称已存在',
      ratio: '请输入数字',
      cache: '请输入数字',
    });
    const typed = { ...fieldsOf({ model: 'a', numbers: {} }), ratio: '１．５', completion: '1,000' };
    expect(numbersOf(typed)).toEqual({ ratio: 1.5, completion: 1000 });
  });

  it('with a fixed price have no ratios', () => {
    expect(numbersOf({ ...fieldsOf({ model: 'a', numbers: { ratio: 1 } }), price: '0.5' })).toEqual({ price: 0.5 });
    const small = { ratio: 2.5e-7, completion: 3 };
    expect(numbersOf(fieldsOf({ model: 'a', numbers: small }))).toEqual(small);
  });

  it('are the same in dollars', () => {
    expect(dollarsOfRatio('1.25', 2)).toBe('2.5');
    expect(ratioOfDollars('0.15', 2)).toBe('0.075');
    expect(dollarsOfRatio('', 2)).toBe('');
    expect(ratioOfDollars('x', 2)).toBe('x');
    expect(ratioOfDollars('0.000001', 2)).toBe('0.0000005');
  });
});

describe('the price editor', () => {
  it('shows ten rows a page; a change is previewed before it is saved', async () => {
    const { user, sent } = open();
    const table = await screen.findByRole('table', { name: '可视化编辑' });
    expect(within(table).getAllByRole('row')).toHaveLength(11);
    await user.click(screen.getByRole('button', { name: '编辑 gpt-4o' }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByLabelText('模型倍率，美元/1M tokens')).toMatchObject({ value: '2.5' });
    const dollars = within(dialog).getByLabelText('模型倍率，美元/1M tokens');
    await user.clear(dollars);
    await user.type(dollars, '5');
    expect(within(dialog).getByLabelText('模型倍率')).toMatchObject({ value: '2.5' });
    await user.click(within(dialog).getByRole('button', { name: '应用' }));
    await user.click(await screen.findByRole('button', { name: '预览并保存' }));
    const effect = await screen.findByRole('table', { name: '总收入' });
    expect(effect.textContent).toContain('+100%');
    const entries = within(screen.getByRole('region', { name: '修改数' })).getAllByRole('row');
    expect(entries.map(({ textContent }) => textContent)).toEqual(['选项条目原值新值', 'ModelRatiogpt-4o1.252.5']);
    await user.click(screen.getByRole('button', { name: '保存价格' }));
    await screen.findByText('保存成功');
    const saved = JSON.stringify({ 'gpt-4o': 2.5, ...ratios });
    expect(sent('PUT', '/api/option')).toMatchObject([[{ key: 'ModelRatio' }]]);
    const [[change]] = sent('PUT', '/api/option') as [[{ value: string }]];
    expect(JSON.parse(change.value)).toEqual(JSON.parse(saved));
  });

  it("says of a price that was the catalogue's what it was", async () => {
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: '未定价模型（1）' }));
    await user.click(await screen.findByRole('button', { name: '设置价格 brand-new' }));
    const dialog = await screen.findByRole('dialog');
    await user.type(within(dialog).getByLabelText('模型倍率'), '2');
    await user.click(within(dialog).getByRole('button', { name: '应用' }));
    await user.click(await screen.findByRole('button', { name: '预览并保存' }));
    await screen.findByRole('table', { name: '总收入' });
    const entries = within(screen.getByRole('region', { name: '修改数' })).getAllByRole('row');
    expect(entries.map(({ textContent }) => textContent)).toEqual(['选项条目原值新值', 'ModelRatiobrand-new1.52']);
  });

  it('names the fault of a JSON text and refuses to save it', async () => {
    const { user } = open();
    await screen.findByRole('table', { name: '可视化编辑' });
    await user.click(screen.getByRole('button', { name: 'JSON' }));
    const field = await screen.findByLabelText('ModelPrice');
    expect(screen.getByText(/托管工具每千次使用的美元价格/).textContent).toContain('{"*":{"web_search":10}}');
    // Without the focus: the editor that would take over needs a real browser.
    fireEvent.change(field, { target: { value: '{"a":}' } });
    await screen.findByText(/第 1 行/);
    expect(screen.getByRole('button', { name: '预览并保存' })).toMatchObject({ disabled: true });
    await user.click(screen.getByRole('button', { name: '可视化编辑' }));
    await screen.findByText(/ModelPrice。请先在 JSON 视图修正/);
  });

  it('gives a price to an enabled model that has none', async () => {
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: '未定价模型（1）' }));
    await user.click(await screen.findByRole('button', { name: '设置价格 brand-new' }));
    const dialog = await screen.findByRole('dialog');
    await user.type(within(dialog).getByLabelText(/固定价格/), '0.1');
    expect(within(dialog).getByLabelText('模型倍率')).toMatchObject({ disabled: true });
    await user.click(within(dialog).getByRole('button', { name: '应用' }));
    await screen.findByText('1 个选项有未保存的修改');
  });

  it('names an enabled model without a price although ratios of it are known, and keeps those', async () => {
    const half = [...options.filter(({ key }) => key !== 'CompletionRatio'), { key: 'CompletionRatio', value: '{"half":3}' }];
    const { user } = renderApp('/setting?tab=operation', {
      signedIn: root,
      override: (request) => {
        if (request.path === '/api/price/unpriced') return ok(['half']);
        return request.method === 'GET' && request.path === '/api/option' ? ok(half) : override(request);
      },
    });
    await user.click(await screen.findByRole('button', { name: '未定价模型（1）' }));
    await user.click(await screen.findByRole('button', { name: '设置价格 half' }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByLabelText('补全倍率')).toMatchObject({ value: '3' });
    await user.type(within(dialog).getByLabelText('模型倍率'), '2');
    await user.click(within(dialog).getByRole('button', { name: '应用' }));
    await screen.findByText('1 个选项有未保存的修改');
    await screen.findByText('所有已启用的模型都有价格');
  });

  it('shows as many versions a page as one wants', async () => {
    const { user, calls } = open();
    await user.click(await screen.findByRole('button', { name: '历史版本' }));
    await user.selectOptions(await screen.findByRole('combobox', { name: '每页条数' }), '50');
    const asked = () => calls.filter(({ path }) => path === '/api/price/versions').map(({ query }) => query);
    await waitFor(() =>
      expect(asked()).toEqual([
        { p: '1', page_size: '10' },
        { p: '1', page_size: '50' },
      ]),
    );
  });

  it('rolls back to a version after a question', async () => {
    const { user, sent } = open();
    await user.click(await screen.findByRole('button', { name: '历史版本' }));
    await user.click(await screen.findByRole('button', { name: '回滚到此版本' }));
    const question = await screen.findByRole('dialog');
    await user.click(within(question).getByRole('button', { name: '回滚到此版本' }));
    await screen.findByText('已恢复版本 3 的价格');
    expect(sent('POST', '/api/price/rollback')).toEqual([{ id: 3 }]);
  });

  it('applies only the chosen differences, and extreme ones after a question', async () => {
    const { user, sent } = open();
    await user.click(await screen.findByRole('button', { name: '同步价格' }));
    await user.click(await screen.findByRole('button', { name: '获取差异' }));
    const chosen = (await screen.findByText('o1')).closest('tr');
    if (!chosen) return expect.unreachable();
    await user.click(within(chosen).getByRole('checkbox'));
    await user.click(screen.getByRole('button', { name: '应用所选（1）' }));
    const question = await screen.findByRole('dialog');
    await user.click(within(question).getByRole('button', { name: '应用所选（1）' }));
    await screen.findByText('已应用 1 处修改');
    expect(sent('POST', '/api/price/sync')).toEqual([
      { source: 'catalogue', rows: [{ option: 'ModelRatio', model: 'o1', to: 7500 }], confirmed: true },
    ]);
  });

  it('says of a difference what becomes of tiers beside it, and nothing where there are none', async () => {
    const beside = [...offers, { ...row, model: 'tiered', to: 2.5, ratio_change: 2, tiers: 'own' as const }];
    const { user } = renderApp('/setting?tab=operation', {
      signedIn: root,
      override: (request) =>
        request.path === '/api/price/sync' ? ok({ source: 'catalogue', rows: beside, truncated: false }) : override(request),
    });
    await user.click(await screen.findByRole('button', { name: '同步价格' }));
    await user.click(await screen.findByRole('button', { name: '获取差异' }));
    const tiered = (await screen.findByText('tiered')).closest('tr');
    expect(tiered?.textContent).toContain('阶梯价不变');
    expect(screen.getByText('o1').closest('tr')?.textContent).not.toContain('阶梯价');
    screen.getByText(/请一并检查这些模型的阶梯价格/);
  });

  it('shows the first differences when pages become longer, and never takes a page behind the last for none', async () => {
    const many = Array.from({ length: 45 }, (_, index) => ({ ...row, model: `model ${index}`, to: 2.5, ratio_change: 2 }));
    const { user } = renderApp('/setting?tab=operation', {
      signedIn: root,
      override: (request) =>
        request.path === '/api/price/sync' ? ok({ source: 'catalogue', rows: many, truncated: false }) : override(request),
    });
    await user.click(await screen.findByRole('button', { name: '同步价格' }));
    await user.click(await screen.findByRole('button', { name: '获取差异' }));
    await screen.findByText('model 0');
    const pager = within(screen.getByRole('navigation', { name: '分页' }));
    await user.click(pager.getByRole('button', { name: '下一页' }));
    await user.click(pager.getByRole('button', { name: '下一页' }));
    await screen.findByText('model 44');
    await user.selectOptions(pager.getByRole('combobox'), '100');
    expect(await screen.findByText('model 0')).toBeTruthy();
  });

  it('shows why the server refuses', async () => {
    const refusing: MockOptions['override'] = (request) =>
      request.method === 'PUT' ? refuse('模型倍率不合法') : override(request);
    const { user } = renderApp('/setting?tab=operation', { signedIn: root, override: refusing });
    await user.click(await screen.findByRole('button', { name: '删除 dall-e-3' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: '删除' }));
    await user.click(await screen.findByRole('button', { name: '预览并保存' }));
    await user.click(await screen.findByRole('button', { name: '保存价格' }));
    await screen.findByText('模型倍率不合法');
  });

  it('is for root only', async () => {
    const { calls } = renderApp('/setting?tab=operation', { signedIn: common });
    await screen.findByRole('heading', { level: 1 });
    expect(calls.some(({ path }) => path === '/api/option')).toBe(false);
  });
});
