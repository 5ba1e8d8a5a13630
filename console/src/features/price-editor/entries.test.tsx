import { screen, within } from '@testing-library/react';
import type { PricePreview } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { root } from '../../../test/fixtures.ts';
import { type MockOptions, ok } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { textsOf } from './draft.ts';
import { groupFaults, groupRows, pairFaults, pairRows, withGroup, withoutPair, withPair } from './groups.ts';
import { emptyTier, fieldsOfTier, readTokens, tierFaults, tierRows, tiersOf, withTiers } from './tiers.ts';

const tiers = {
  'gemini-2.5-pro': [
    { up_to: 200_000, ratio: 0.625, completion: 8 },
    { ratio: 1.25, completion: 6 },
  ],
};
const options = [
  { key: 'GroupRatio', value: '{"default":1,"vip":0.8}' },
  { key: 'GroupGroupRatio', value: '{"vip":{"default":0.5}}' },
  { key: 'PriceTiers', value: JSON.stringify(tiers) },
];
const texts = textsOf(options);
const users = Array.from({ length: 25 }, (_, index) => ({
  id: index + 1,
  name: `user-${index + 1}`,
  calls: 2,
  now: 100,
  next: 200,
}));
const preview: PricePreview = {
  inherited: [],
  ...{ rows: 50, complete: true, unpriced: 0, now: 2500, next: 5000, winners: [], models: [] },
  users: [...users, { id: 99, name: 'unchanged', calls: 1, now: 5, next: 5 }],
  losers: users.slice(0, 10),
};
const override: MockOptions['override'] = ({ method, path }) => {
  const answers: Record<string, unknown> = {
    'GET /api/option': options,
    'GET /api/price/unpriced': [],
    'POST /api/price/preview': preview,
  };
  const value = answers[`${method} ${path}`];
  return value === undefined ? undefined : ok(value);
};
const open = async (view: string) => {
  const app = renderApp('/setting?tab=operation', { signedIn: root, override });
  await app.user.click(await screen.findByRole('button', { name: view }, { timeout: 5000 }));
  return app;
};

describe('the ratios of groups', () => {
  it('keep their order when one is renamed, and their other entries whatever these are', () => {
    const mixed = { ...texts, GroupRatio: '{"default":1,"vip":0.8,"odd":"x"}' };
    expect(JSON.parse(withGroup(mixed, 'gold', 0.7, 'vip').GroupRatio)).toEqual({ default: 1, gold: 0.7, odd: 'x' });
    expect(Object.keys(JSON.parse(withGroup(mixed, 'gold', 0.7, 'vip').GroupRatio))).toEqual(['default', 'gold', 'odd']);
    expect(groupRows(mixed).map(({ group }) => group)).toEqual(['default', 'vip']);
  });

  it('are numbers, and no group has two', () => {
    expect(groupFaults({ group: 'vip', ratio: '-1' }, new Set(['vip']))).toEqual({ group: '分组已存在', ratio: '请输入数字' });
    expect(groupFaults({ group: ' ', ratio: '0' }, new Set())).toEqual({ group: '请输入分组名称' });
  });

  it('between groups move as a pair, and leave no empty member behind', () => {
    const [pair] = pairRows(texts);
    if (!pair) return expect.unreachable();
    const moved = withPair(texts, { userGroup: 'svip', group: 'vip', ratio: 0.4 }, pair);
    expect(JSON.parse(moved.GroupGroupRatio)).toEqual({ svip: { vip: 0.4 } });
    expect(JSON.parse(withoutPair(texts, pair).GroupGroupRatio)).toEqual({});
    expect(pairFaults({ userGroup: 'vip', group: 'default', ratio: '1' }, [pair])).toEqual({
      group: '这两个分组已有特殊倍率',
    });
  });
});

describe('the tiers of a model', () => {
  it('are read and written as the option has them, thousands in short', () => {
    const [row] = tierRows(texts);
    expect(tiersOf((row?.tiers ?? []).map(fieldsOfTier))).toEqual(tiers['gemini-2.5-pro']);
    expect(['200k', '1m', '1.5K', '200,000', '0', 'x', ''].map(readTokens)).toEqual([
      200_000,
      1_000_000,
      1500,
      200_000,
      undefined,
      undefined,
      undefined,
    ]);
    expect(Object.keys(JSON.parse(withTiers(texts, 'a', [{ ratio: 1 }], 'gemini-2.5-pro').PriceTiers))).toEqual(['a']);
  });

  it('rise, never get cheaper, and only the last is without a limit', () => {
    const tier = (fields: Partial<typeof emptyTier>) => ({ ...emptyTier, ratio: '1', ...fields });
    expect(tierFaults([tier({}), tier({ up_to: '5' })])).toEqual([{ up_to: '只有最后一档可以不限' }, {}]);
    expect(tierFaults([tier({ up_to: '5' }), tier({ up_to: '5' })])[1]).toEqual({ up_to: '必须大于上一档' });
    expect(tierFaults([tier({ up_to: '5', completion: '8' }), tier({ ratio: '2', completion: '3' })])[1]).toEqual({
      completion: '不能比上一档便宜',
    });
    expect(tierFaults([tier({ up_to: '5' }), tier({ ratio: '0.5' })])[1]?.ratio).toBe('不能比上一档便宜');
    expect(tierFaults([tier({ up_to: '5', cache: '0.5' }), tier({})])[1]).toEqual({ cache: '各档要么都填，要么都不填' });
    expect(tierFaults([tier({ up_to: '0', ratio: 'x' })])[0]).toEqual({
      up_to: '请输入大于 0 的 Token 数',
      ratio: '请输入数字',
    });
  });
});

describe('the visual editors beside the JSON', () => {
  it('add a group and a pair in one save that shows every user whom it touches, bounded, as the way to them', async () => {
    const app = await open('分组倍率');
    await app.user.click(await screen.findByRole('button', { name: '添加分组' }));
    let dialog = within(await screen.findByRole('dialog'));
    await app.user.type(dialog.getByLabelText('分组'), 'vip');
    await app.user.click(dialog.getByRole('button', { name: '应用' }));
    expect(await dialog.findByText('分组已存在')).toBeTruthy();
    await app.user.clear(dialog.getByLabelText('分组'));
    await app.user.type(dialog.getByLabelText('分组'), 'svip');
    await app.user.click(dialog.getByRole('button', { name: '应用' }));
    await app.user.click(await screen.findByRole('button', { name: '添加特殊倍率' }));
    dialog = within(await screen.findByRole('dialog'));
    await app.user.type(dialog.getByLabelText('用户所在分组'), 'svip');
    await app.user.type(dialog.getByLabelText('使用的分组'), 'vip');
    await app.user.type(dialog.getByLabelText('倍率'), '0.4');
    await app.user.click(dialog.getByRole('button', { name: '应用' }));
    const pairs = within(await screen.findByRole('table', { name: '分组之间的特殊倍率' }));
    expect(pairs.getByText('×0.4').closest('tr')?.textContent).toContain('×0.8');
    await app.user.click(screen.getByRole('button', { name: '预览并保存' }));
    const touched = within(await screen.findByRole('table', { name: '有变化的用户' }));
    expect(touched.getAllByRole('row')).toHaveLength(21);
    expect(screen.getByText('还有 5 行未显示')).toBeTruthy();
    const link = touched.getByRole('link', { name: '打开用户 user-1（新窗口）' });
    expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual(['/user/edit/1', '_blank']);
    await app.user.click(screen.getByRole('button', { name: '保存价格' }));
    await screen.findByText('保存成功');
    expect(app.sent('PUT', '/api/option')).toMatchObject([
      [
        { key: 'GroupRatio', value: '{"default":1,"vip":0.8,"svip":1}' },
        { key: 'GroupGroupRatio', value: '{"vip":{"default":0.5},"svip":{"vip":0.4}}' },
      ],
    ]);
  });

  it('show a ladder in dollars, refuse one that falls, and save one that rises', async () => {
    const app = await open('阶梯价格');
    const table = within(await screen.findByRole('table', { name: '按提示长度的阶梯价格' }));
    expect(table.getByText('gemini-2.5-pro').closest('tr')?.textContent).toContain('≤ 200K $1.25> 200K $2.50');
    await app.user.click(table.getByRole('button', { name: '编辑 gemini-2.5-pro' }));
    const dialog = within(await screen.findByRole('dialog', { name: '编辑 gemini-2.5-pro 的阶梯价格' }));
    const second = within(dialog.getByRole('group', { name: '第 2 档' }));
    await app.user.clear(second.getByLabelText('模型倍率'));
    await app.user.type(second.getByLabelText('模型倍率'), '0.5');
    await app.user.click(dialog.getByRole('button', { name: '应用' }));
    expect(await second.findAllByText('不能比上一档便宜')).not.toHaveLength(0);
    await app.user.clear(second.getByLabelText('模型倍率'));
    await app.user.type(second.getByLabelText('模型倍率'), '2');
    await app.user.type(second.getByLabelText('提示上限'), '1m');
    await app.user.click(dialog.getByRole('button', { name: '添加一档' }));
    const third = within(dialog.getByRole('group', { name: '第 3 档' }));
    await app.user.type(third.getByLabelText('模型倍率'), '3');
    await app.user.type(third.getByLabelText('补全倍率'), '6');
    await app.user.click(dialog.getByRole('button', { name: '应用' }));
    await app.user.click(await screen.findByRole('button', { name: '预览并保存' }));
    await app.user.click(await screen.findByRole('button', { name: '保存价格' }));
    await screen.findByText('保存成功');
    const [[change]] = app.sent('PUT', '/api/option') as [[{ key: string; value: string }]];
    expect([change.key, JSON.parse(change.value)]).toEqual([
      'PriceTiers',
      {
        'gemini-2.5-pro': [
          { up_to: 200_000, ratio: 0.625, completion: 8 },
          { up_to: 1_000_000, ratio: 2, completion: 6 },
          { ratio: 3, completion: 6 },
        ],
      },
    ]);
  });
});
