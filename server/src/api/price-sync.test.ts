import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { newPeer } from '../../test/price-peer.ts';

const pricing = (...items: object[]) => JSON.stringify({ success: true, data: items });
const offered = (model_name: string, model_ratio: unknown, more: object = {}) => ({
  model_name,
  quota_type: 0,
  model_ratio,
  ...more,
});

const asked = async (kit: ApiKit, as: KitUser, source: string) =>
  (await kit.call({ path: `/api/price/sync?source=${encodeURIComponent(source)}`, as })).json;
const apply = async (kit: ApiKit, as: KitUser, body: object) =>
  (await kit.call({ method: 'POST', path: '/api/price/sync', body, as })).json;
const save = (kit: ApiKit, as: KitUser, key: string, value: object) =>
  kit.call({ method: 'PUT', path: '/api/option/', body: { key, value: JSON.stringify(value) }, as });

onEachEngine((_name, open) => {
  describe('price sync', () => {
    test("another gateway's prices are a change set; only what was chosen is applied, as one version", async () => {
      const body = pricing(
        offered('mine', 3, { completion_ratio: 4, cache_ratio: 1 }),
        offered('new', 7, { completion_ratio: 1 }),
        { model_name: 'drawn', quota_type: 1, model_price: 0.5 },
      );
      const kit = await createApiKit(await open(), {
        ...(await newPeer((path) => (path === '/api/pricing' ? { body } : { status: 404, body: '' }))),
        models: ['mine'],
      });
      const as = await kit.root();
      await save(kit, as, 'ModelRatio', { mine: 2, kept: 1 });
      await save(kit, as, 'ModelPrice', { priced: 9 });
      const { data } = await asked(kit, as, 'https://prices.example');
      expect(data).toMatchObject({ source: 'https://prices.example', truncated: false });
      expect(data.rows[0]).toEqual({
        ...{ option: 'ModelRatio', model: 'mine', from: 2, to: 3 },
        ...{ ratio_change: 1.5, extreme: false, enabled: true },
      });
      const brief = data.rows.map((row: { option: string; model: string; from: number | null }) => [
        row.option,
        row.model,
        row.from,
      ]);
      expect(brief).toEqual([
        ['ModelRatio', 'mine', 2],
        ['CompletionRatio', 'mine', 1],
        ['ModelPrice', 'drawn', null],
        ['ModelRatio', 'new', null],
        ['CompletionRatio', 'new', null],
      ]);
      expect(kit.deps.settings.current().ModelRatio.get('mine')).toBe(2);
      const rows = [
        { option: 'ModelRatio', model: 'mine', to: 3 },
        { option: 'ModelRatio', model: 'priced', to: 1 },
      ];
      expect(await apply(kit, as, { source: 'https://prices.example', rows })).toMatchObject({ success: true });
      const { ModelRatio, ModelPrice, CompletionRatio } = kit.deps.settings.current();
      expect([...ModelRatio]).toEqual([
        ['mine', 3],
        ['kept', 1],
        ['priced', 1],
      ]);
      expect([ModelPrice.size, CompletionRatio.has('mine')]).toEqual([0, false]);
      const [version] = (await kit.call({ path: '/api/price/versions', as })).json.data.items;
      expect(version).toMatchObject({ note: 'sync:https://prices.example', changed: 3 });
    });

    test('a price that changes by more than 100 times, or becomes nothing, needs a second yes', async () => {
      const kit = await createApiKit(await open(), { models: ['mine'] });
      const as = await kit.root();
      await save(kit, as, 'ModelRatio', { mine: 1 });
      for (const to of [100.5, 0.0099, 0]) {
        const body = { source: 'catalogue', rows: [{ option: 'ModelRatio', model: 'mine', to }] };
        expect(await apply(kit, as, body)).toMatchObject({ success: false, message: expect.stringContaining('100') });
        expect(kit.deps.settings.current().ModelRatio.get('mine')).toBe(1);
        expect(await apply(kit, as, { ...body, confirmed: true })).toMatchObject({ success: true });
        await save(kit, as, 'ModelRatio', { mine: 1 });
      }
    });

    test('a price for a second is offered as none for a call, and gives way to one that was chosen', async () => {
      const body = pricing(
        { model_name: 'sora-2', quota_type: 1, model_price: 0.2, per_second: true },
        { model_name: 'timed', quota_type: 1, model_price: 0.5 },
      );
      const peer = await newPeer(() => ({ body }));
      const kit = await createApiKit(await open(), { ...peer, models: ['sora-2', 'timed'] });
      const as = await kit.root();
      await save(kit, as, 'SecondPrice', { timed: 0.4 });
      await save(kit, as, 'ModelPrice', { 'sora-2': 1 });
      expect((await asked(kit, as, 'catalogue')).data.rows).toEqual([]);
      const { data } = await asked(kit, as, 'https://prices.example');
      expect(data.rows).toMatchObject([{ option: 'ModelPrice', model: 'timed', from: null, to: 0.5, ratio_change: null }]);
      expect(await apply(kit, as, data)).toMatchObject({ success: true });
      const timed = (await kit.call({ path: '/api/pricing', as })).json.data.find(
        ({ model_name: name }: { model_name: string }) => name === 'timed',
      );
      expect(timed).toMatchObject({ quota_type: 1, model_price: 0.5 });
      expect(timed.per_second).toBeUndefined();
    });

    test('a price with more digits than are counted is offered as it would be counted, and no more once it is applied', async () => {
      const body = pricing(offered('mine', 10 / 3, { completion_ratio: 5 / 1.5, cache_ratio: 1e-12 }));
      const kit = await createApiKit(await open(), { ...(await newPeer(() => ({ body }))), models: ['mine'] });
      const as = await kit.root();
      await save(kit, as, 'ModelRatio', { mine: 3.3 });
      const { data } = await asked(kit, as, 'https://prices.example');
      expect(data.rows.map(({ option, to }: { option: string; to: number }) => [option, to])).toEqual([
        ['ModelRatio', 3.333333333],
        ['CompletionRatio', 3.333333333],
      ]);
      expect(await apply(kit, as, data)).toMatchObject({ success: true });
      expect((await asked(kit, as, 'https://prices.example')).data.rows).toEqual([]);
    });

    test('what is applied takes nothing away that another node has just saved', async () => {
      const kit = await createApiKit(await open(), { models: ['mine'] });
      const as = await kit.root();
      await save(kit, as, 'ModelRatio', { mine: 2 });
      await kit.db.transaction((tx) =>
        tx.query.updateTable('option').set({ value: '{"mine":2,"other":5}' }).where('key', '=', 'ModelRatio').execute(),
      );
      const rows = [{ option: 'ModelRatio', model: 'mine', to: 3 }];
      expect(await apply(kit, as, { source: 'catalogue', rows })).toMatchObject({ success: true });
      expect([...kit.deps.settings.current().ModelRatio]).toEqual([
        ['mine', 3],
        ['other', 5],
      ]);
    });

    test('the catalogue is offered where the operator wrote something else', async () => {
      const kit = await createApiKit(await open(), { models: ['gpt-4o-mini', 'gpt-4o'] });
      const as = await kit.root();
      expect((await asked(kit, as, 'catalogue')).data.rows).toEqual([]);
      await save(kit, as, 'ModelRatio', { 'gpt-4o-mini': 0.15 });
      expect((await asked(kit, as, 'catalogue')).data.rows).toMatchObject([
        { option: 'ModelRatio', model: 'gpt-4o-mini', from: 0.15, to: 0.075, ratio_change: 0.5, enabled: true },
      ]);
    });

    test('a price beside tiers says what becomes of them: own ones go on to be charged, those of the catalogue end', async () => {
      const prices = { completion_ratio: 9, audio_ratio: 9 };
      const body = pricing(...['mine', 'plain', 'gemini-2.5-pro'].map((model) => offered(model, 3, prices)));
      const models = ['mine', 'gemini-2.5-pro'];
      const kit = await createApiKit(await open(), { ...(await newPeer(() => ({ body }))), models });
      const as = await kit.root();
      await save(kit, as, 'ModelRatio', { mine: 2, plain: 2 });
      await save(kit, as, 'PriceTiers', { mine: [{ up_to: 1000, ratio: 2 }, { ratio: 4 }] });
      const { data } = await asked(kit, as, 'https://prices.example');
      const marked = data.rows.flatMap(({ model, option, tiers }: { model: string; option: string; tiers?: string }) =>
        tiers === undefined ? [] : [`${model} ${option} ${tiers}`],
      );
      expect(marked.sort()).toEqual([
        'gemini-2.5-pro CompletionRatio catalogue',
        'gemini-2.5-pro ModelRatio catalogue',
        'mine ModelRatio own',
      ]);
      // What is said holds.
      const tiers = async () => {
        const items: { model_name: string; tiers?: object[] }[] = (await kit.call({ path: '/api/pricing', as })).json.data;
        return ['mine', 'gemini-2.5-pro'].map((name) => items.find((item) => item.model_name === name)?.tiers?.length);
      };
      expect(await tiers()).toEqual([2, 2]);
      expect(await apply(kit, as, data)).toMatchObject({ success: true });
      expect(await tiers()).toEqual([2, undefined]);
    });

    test('what is no price list, too large or inside our network is refused; prices that are none are left out', async () => {
      const odd = pricing(offered('a', -1), offered('b', '2'), offered('c', 1e9), offered('two words', 1), offered('ok', 1));
      const bodies: Record<string, { status?: number; body: string }> = {
        '/text/api/pricing': { body: 'hello' },
        '/list/api/pricing': { body: '[]' },
        '/gone/api/pricing': { status: 500, body: pricing() },
        '/huge/api/pricing': { body: `${pricing()}${' '.repeat(5 * 1024 * 1024)}` },
        '/odd/api/pricing': { body: odd },
      };
      const kit = await createApiKit(await open(), await newPeer((path) => bodies[path]));
      const as = await kit.root();
      for (const name of ['text', 'list', 'gone', 'huge']) {
        const answer = await asked(kit, as, `http://prices.example/${name}`);
        expect(answer, name).toMatchObject({ success: false, message: expect.stringContaining('无法读取价格来源') });
      }
      expect((await asked(kit, as, 'http://127.0.0.1:1')).success).toBe(false);
      expect((await asked(kit, as, 'file:///etc/passwd')).success).toBe(false);
      const { data } = await asked(kit, as, 'http://prices.example/odd/');
      expect(data.rows).toMatchObject([{ option: 'ModelRatio', model: 'ok', to: 1, ratio_change: null }]);
    });
  });

  describe('the price list', () => {
    test('is open to everybody; groups are those of the caller', async () => {
      const kit = await createApiKit(await open(), { models: ['gpt-4o', 'dall-e-3', 'nobody-priced-it'] });
      const as = await kit.root();
      await save(kit, as, 'GroupRatio', { default: 1, vip: 0.5, hidden: 3 });
      await save(kit, as, 'GroupGroupRatio', { default: { vip: 0.4 } });
      const open_ = await kit.call({ path: '/api/pricing' });
      expect(open_.json).toMatchObject({ success: true, group_ratio: { default: 1, vip: 0.5 } });
      expect(Object.keys(open_.json.usable_group)).toEqual(['default', 'vip']);
      expect(open_.json.data).toEqual([
        {
          ...{ model_name: 'dall-e-3', quota_type: 1, model_ratio: 0, model_price: 0.04, completion_ratio: 0 },
          ...{ owner_by: expect.any(String), enable_groups: ['default'] },
        },
        expect.objectContaining({
          ...{ model_name: 'gpt-4o', quota_type: 0, model_ratio: 1.25, model_price: 0, completion_ratio: 4, cache_ratio: 0.5 },
          ...{ enable_groups: ['default'] },
        }),
      ]);
      expect((await kit.call({ path: '/api/pricing', as })).json.group_ratio).toEqual({ default: 1, vip: 0.4 });
    });

    test('shows no group that the caller may not use, and no model that only such groups have', async () => {
      const served = { default: ['gpt-4o'], hidden: ['gpt-4o', 'dall-e-3'] };
      const kit = await createApiKit(await open(), { models: served });
      const as = await kit.root();
      await save(kit, as, 'GroupRatio', { default: 1, hidden: 3 });
      const listed = async (by?: KitUser) =>
        (await kit.call({ path: '/api/pricing', as: by })).json.data.map(
          ({ model_name, enable_groups }: { model_name: string; enable_groups: string[] }) => [model_name, enable_groups],
        );
      expect(await listed()).toEqual([['gpt-4o', ['default']]]);
      expect(await listed(as)).toEqual([['gpt-4o', ['default']]]);
      const ann = await kit.user('ann');
      await kit.call({ method: 'PUT', path: '/api/user/', body: { id: ann.id, group: 'hidden' }, as });
      expect(await listed(ann)).toEqual([
        ['dall-e-3', ['hidden']],
        ['gpt-4o', ['default', 'hidden']],
      ]);
    });

    test('enabled models without a price are named, in self-use mode too', async () => {
      const kit = await createApiKit(await open(), { models: ['gpt-4o', 'nobody-priced-it'] });
      const as = await kit.root();
      const unpriced = async () => (await kit.call({ path: '/api/price/unpriced', as })).json.data;
      expect(await unpriced()).toEqual(['nobody-priced-it']);
      await kit.call({ method: 'PUT', path: '/api/option/', body: { key: 'SelfUseModeEnabled', value: true }, as });
      expect(await unpriced()).toEqual(['nobody-priced-it']);
      await save(kit, as, 'ModelRatio', { 'nobody-priced-it': 0 });
      expect(await unpriced()).toEqual([]);
    });

    test('a reset forgets the ratios that were entered, and can be taken back', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, 'ModelRatio', { 'gpt-4o-mini': 5 });
      const answer = await kit.call({ method: 'POST', path: '/api/option/rest_model_ratio', as });
      expect(answer.json).toMatchObject({ success: true, message: '重置模型倍率成功' });
      expect((await kit.call({ path: '/api/pricing' })).json.data[0].model_ratio).toBe(0.075);
      const [, before] = (await kit.call({ path: '/api/price/versions', as })).json.data.items;
      await kit.call({ method: 'POST', path: '/api/price/rollback', body: { id: before.id }, as });
      expect(kit.deps.settings.current().ModelRatio.get('gpt-4o-mini')).toBe(5);
    });
  });
});
