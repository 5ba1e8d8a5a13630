import { screen, within } from '@testing-library/react';
import type { PricePreview } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { root } from '../../../test/fixtures.ts';
import { type MockOptions, ok, refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { changesOf, type PriceTexts, textsOf } from './draft.ts';
import { editOf, overruled, rebased } from './rebase.ts';

const ratios = { 'gpt-4o': 1.25, house: 1 };
const options = [{ key: 'ModelRatio', value: JSON.stringify(ratios) }];
const synced = [{ key: 'ModelRatio', value: '{"gpt-4o":2.5,"house":1,"o1":7500}' }];
const preview: PricePreview = {
  inherited: [],
  ...{ rows: 0, complete: true, unpriced: 0, now: 0, next: 0 },
  ...{ models: [], users: [], winners: [], losers: [] },
};
const offer = { option: 'ModelRatio', model: 'o1', from: 1.25, to: 7500, ratio_change: 6000, extreme: true, enabled: true };
const answers: Record<string, unknown> = {
  'GET /api/price/unpriced': [],
  'POST /api/price/preview': preview,
  'GET /api/price/sync': { source: 'catalogue', rows: [offer], truncated: false },
};

describe('an edit of prices that others change meanwhile', () => {
  const textsWith = (values: Partial<Record<keyof PriceTexts, object>>) =>
    textsOf(Object.entries(values).map(([key, value]) => ({ key, value: JSON.stringify(value) })));
  const base = textsWith({
    ModelRatio: { kept: 1, edited: 1, removed: 1, both: 1, gone: 1, same: 1 },
    PriceTiers: { long: [{ ratio: 1 }] },
    GroupGroupRatio: { vip: { default: 0.5, svip: 0.5 }, agent: { default: 0.7 } },
  });
  const mine = textsWith({
    ModelRatio: { kept: 1, edited: 2, both: 2, gone: 2, same: 2, added: 2 },
    PriceTiers: { long: [{ up_to: 5, ratio: 1 }, { ratio: 2 }] },
    GroupGroupRatio: { vip: { default: 0.6, svip: 0.5 } },
  });
  const saved = textsWith({
    ModelRatio: { theirs: 3, kept: 3, edited: 1, removed: 1, both: 3, same: 2 },
    PriceTiers: { long: [{ ratio: 1 }] },
    GroupGroupRatio: { vip: { svip: 0.9 }, agent: { default: 0.7, vip: 0.8 } },
  });
  const edit = { ...editOf(base), texts: mine };

  it('is done again on what is saved by then: only what was edited differs', () => {
    const { texts } = rebased(edit, saved);
    expect(JSON.parse(texts.ModelRatio)).toEqual({ theirs: 3, kept: 3, edited: 2, both: 2, gone: 2, same: 2, added: 2 });
    expect(JSON.parse(texts.PriceTiers)).toEqual({ long: [{ up_to: 5, ratio: 1 }, { ratio: 2 }] });
    expect(JSON.parse(texts.GroupGroupRatio)).toEqual({ vip: { svip: 0.9, default: 0.6 }, agent: { vip: 0.8 } });
    expect(changesOf(saved, rebased({ ...editOf(base), texts: base }, saved).texts)).toEqual([]);
    expect(rebased(edit, base)).toEqual(edit);
  });

  it('tells what it takes from others, as long as it differs, however often they save', () => {
    const first = rebased(edit, saved);
    const taken = [
      { option: 'ModelRatio', name: 'both', from: '3', to: '2' },
      { option: 'ModelRatio', name: 'gone', from: '', to: '2' },
      { option: 'GroupGroupRatio', name: 'vip → default', from: '', to: '0.6' },
    ];
    expect(overruled(first)).toEqual(taken);
    const later = JSON.stringify({ ...JSON.parse(saved.ModelRatio), both: 4, gone: 2 });
    expect(overruled(rebased(first, { ...saved, ModelRatio: later }))).toEqual([{ ...taken[0], from: '4' }, taken[2]]);
  });

  it('keeps a text with a fault as it is until that is mended', () => {
    const broken = rebased({ ...edit, texts: { ...mine, ModelRatio: '{"edited":}' } }, saved);
    expect([broken.texts.ModelRatio, broken.base.ModelRatio]).toEqual(['{"edited":}', base.ModelRatio]);
    const mended = rebased({ ...broken, texts: { ...broken.texts, ModelRatio: mine.ModelRatio } }, saved);
    expect(mended.texts).toEqual(rebased(edit, saved).texts);
  });
});

describe('the price editor', () => {
  /** A server whose prices a sync or another root changes to these while the page is open. */
  const moving = (refusals: number) => {
    let [isMoved, refused] = [false, 0];
    const override: MockOptions['override'] = ({ method, path }) => {
      if (path === '/api/price/sync' && method === 'POST') isMoved = true;
      if (path === '/api/option' && method === 'GET') return ok(isMoved ? synced : options);
      if (path !== '/api/option' || method !== 'PUT' || refused === refusals)
        return answers[`${method} ${path}`] === undefined ? undefined : ok(answers[`${method} ${path}`]);
      [isMoved, refused] = [true, refused + 1];
      return refuse('ModelRatio 在您编辑期间已被修改');
    };
    return renderApp('/setting?tab=operation', { signedIn: root, override });
  };
  const remove = async ({ user }: ReturnType<typeof moving>, model: string) => {
    await user.click(await screen.findByRole('button', { name: `删除 ${model}` }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: '删除' }));
  };
  it('keeps the prices of a sync that came between the edit and its save', async () => {
    const app = moving(0);
    await remove(app, 'house');
    await app.user.click(screen.getByRole('button', { name: '同步价格' }));
    await app.user.click(await screen.findByRole('button', { name: '获取差异' }));
    const chosen = (await screen.findByText('o1')).closest('tr');
    if (!chosen) return expect.unreachable();
    await app.user.click(within(chosen).getByRole('checkbox'));
    await app.user.click(screen.getByRole('button', { name: '应用所选（1）' }));
    await app.user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: '应用所选（1）' }));
    await screen.findByText('已应用 1 处修改');
    await app.user.click(screen.getByRole('button', { name: '预览并保存' }));
    expect(screen.queryByText('编辑期间也被修改的条目')).toBeNull();
    await app.user.click(await screen.findByRole('button', { name: '保存价格' }));
    await screen.findByText('保存成功');
    const [[change]] = app.sent('PUT', '/api/option') as [[{ value: string; seen: string }]];
    expect(JSON.parse(change.value)).toEqual({ 'gpt-4o': 2.5, o1: 7500 });
    expect(JSON.parse(change.seen)).toEqual({ 'gpt-4o': 2.5, house: 1, o1: 7500 });
  });

  it('shows what somebody else saved before, and what of that the next save takes back', async () => {
    const app = moving(1);
    await remove(app, 'gpt-4o');
    await app.user.click(screen.getByRole('button', { name: '预览并保存' }));
    await app.user.click(await screen.findByRole('button', { name: '保存价格' }));
    await screen.findByText('ModelRatio 在您编辑期间已被修改');
    const clash = within(await screen.findByRole('region', { name: '编辑期间也被修改的条目' }));
    expect(clash.getAllByRole('row').map((each) => each.textContent)).toEqual(['选项条目原值新值', 'ModelRatiogpt-4o2.5–']);
    await app.user.click(screen.getByRole('button', { name: '保存价格' }));
    await screen.findByText('保存成功');
    const [, [change]] = app.sent('PUT', '/api/option') as [unknown, [{ value: string }]];
    expect(JSON.parse(change.value)).toEqual({ house: 1, o1: 7500 });
  });
});
