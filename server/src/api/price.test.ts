import { logType, syncOptions } from '@tollgate/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { costOf, createPriceBook, priceTables, type Usage, writeReceipt } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { cataloguePrice } from '../providers/index.ts';

const option = '/api/option/';

async function save(kit: ApiKit, as: KitUser, changes: Record<string, unknown>) {
  const body = Object.entries(changes).map(([key, value]) => ({ key, value: JSON.stringify(value) }));
  expect((await kit.call({ method: 'PUT', path: option, body, as })).json).toMatchObject({ success: true });
}

const versionsOf = async (kit: ApiKit, as: KitUser) => (await kit.call({ path: '/api/price/versions', as })).json.data.items;

/** Charges calls at the prices in force, as the relay would have logged them. */
async function charge(
  kit: ApiKit,
  user: KitUser,
  calls: readonly { model: string; usage: Partial<Usage>; shortfall?: number }[],
) {
  const book = createPriceBook(priceTables(kit.deps.settings.current()), cataloguePrice, 1);
  const rows = calls.map(({ model, usage: given, shortfall = 0 }, index) => {
    const price = book.lookup({ model, userGroup: 'default', usingGroup: 'default' });
    if (price === undefined) throw new Error(`no price: ${model}`);
    const counts = {
      prompt: 0,
      completion: 0,
      cached: 0,
      cacheWrite: 0,
      reasoning: 0,
      source: 'upstream',
      anomaly: false,
    } as const;
    const usage: Usage = { ...counts, ...given };
    const cost = costOf(price, usage);
    return {
      ...{ created_at: nowSeconds(kit.clock) - index, type: logType.consume, user_id: user.id, username: user.name },
      ...{
        token_id: 0,
        token_name: '',
        model_name: model,
        channel_id: 1,
        group_name: 'default',
        quota: cost - shortfall,
        shortfall,
      },
      ...{
        prompt_tokens: usage.prompt,
        completion_tokens: usage.completion,
        use_time: 0,
        is_stream: 0,
        content: '',
        other: '{}',
      },
      ...{ request_id: `r${index}`, ip: '', receipt: writeReceipt(`r${index}`, price, usage, cost, () => 'x') },
    };
  });
  await kit.db.transaction(async (tx) => {
    for (let at = 0; at < rows.length; at += 100)
      await tx.query
        .insertInto('log')
        .values(rows.slice(at, at + 100))
        .execute();
  });
  return rows.reduce((sum, { quota }) => sum + quota, 0);
}

onEachEngine((_name, open) => {
  describe('price versions', () => {
    test('a save that changes a price makes a version with author and difference; other saves make none', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, { RetryTimes: 3 });
      expect(await versionsOf(kit, as)).toEqual([]);
      await save(kit, as, { ModelRatio: { 'gpt-4o': 2, other: 1 }, GroupRatio: { default: 1, vip: 0.5, svip: 1 } });
      await save(kit, as, { ModelRatio: { 'gpt-4o': 3 } });
      await save(kit, as, { ModelRatio: { 'gpt-4o': 3 } });
      const [last, first, origin, ...rest] = await versionsOf(kit, as);
      expect(rest).toEqual([]);
      expect(last).toMatchObject({ author: 'root', author_id: as.id, created_at: nowSeconds(kit.clock), changed: 2 });
      expect(last.diff).toEqual([
        { option: 'ModelRatio', name: 'gpt-4o', from: '2', to: '3' },
        { option: 'ModelRatio', name: 'other', from: '1', to: '' },
      ]);
      expect(first.diff).toContainEqual({ option: 'GroupRatio', name: 'vip', from: '1', to: '0.5' });
      expect(origin).toMatchObject({ author_id: 0, note: 'origin', changed: 0 });
    });

    test('a rollback restores every price of that version, as a new one with audit rows', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, { ModelRatio: { a: 2 }, PriceTiers: { a: [{ up_to: 10, ratio: 2 }, { ratio: 3 }] } });
      await save(kit, as, {
        ModelRatio: { a: 9 },
        ModelPrice: { b: 1 },
        PriceTiers: {},
        GroupGroupRatio: { vip: { default: 0.1 } },
      });
      const [, target] = await versionsOf(kit, as);
      const back = await kit.call({ method: 'POST', path: '/api/price/rollback', body: { id: target.id }, as });
      expect(back.json.success).toBe(true);
      const { ModelRatio, ModelPrice, PriceTiers, GroupGroupRatio } = kit.deps.settings.current();
      expect([ModelRatio.get('a'), ModelPrice.size, PriceTiers.get('a')?.length, GroupGroupRatio.size]).toEqual([2, 0, 2, 0]);
      const [newest] = await versionsOf(kit, as);
      expect(newest).toMatchObject({ note: `rollback:${target.id}`, changed: 4 });
      const audited = await kit.db.read.selectFrom('audit').select('target').where('action', '=', 'option.change').execute();
      expect(audited.filter(({ target: key }) => key === 'option:ModelRatio')).toHaveLength(3);
      const missing = await kit.call({ method: 'POST', path: '/api/price/rollback', body: { id: 999 }, as });
      expect(missing.status).toBe(404);
    });

    test('saves at the same time each know of the others: the last version is what is in force', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      for (let round = 1; round <= 5; round += 1) {
        const entries = { [`m${round}`]: round };
        await Promise.all(syncOptions.map((key) => save(kit, as, { [key]: entries })));
        const rows = kit.db.read.selectFrom('option_version').select('price_values').orderBy('id', 'desc').limit(1);
        const { price_values: values } = await rows.executeTakeFirstOrThrow();
        const last = JSON.parse(values) as Record<string, string>;
        for (const key of syncOptions) expect(last[key]).toBe(JSON.stringify(entries));
        expect((await kit.call({ path: '/api/price/versions', as })).json.data.total).toBe(round * syncOptions.length + 1);
      }
    });

    test('versions are never changed or deleted', async () => {
      const kit = await createApiKit(await open());
      await save(kit, await kit.root(), { ModelRatio: { a: 2 } });
      await expect(kit.db.transaction((tx) => tx.query.deleteFrom('option_version').execute())).rejects.toThrow();
    });
  });

  describe('what-if', () => {
    const preview = async (kit: ApiKit, as: KitUser, changes: Record<string, unknown>) => {
      const list = Object.entries(changes).map(([key, value]) => ({ key, value: JSON.stringify(value) }));
      const answer = await kit.call({ method: 'POST', path: '/api/price/preview', body: { changes: list, days: 30 }, as });
      expect(answer.json, answer.text).toMatchObject({ success: true });
      return answer.json.data;
    };

    test('with the present prices it is the actual revenue, to the unit', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const long = [
        { up_to: 5000, ratio: 0.3, completion: 7 },
        { ratio: 0.7, completion: 7 },
      ];
      const known = { 'gpt-4o': 1.23, 'claude-3-5-sonnet-20241022': 1.5, long: 0.3 };
      await save(kit, as, {
        ModelRatio: known,
        ModelPrice: { 'dall-e-3': 0.04 },
        AudioRatio: { 'gpt-4o': 16 },
        PriceTiers: { long },
      });
      const sample = fc.record({
        model: fc.constantFrom('gpt-4o', 'claude-3-5-sonnet-20241022', 'long', 'dall-e-3', 'gpt-4o-mini'),
        usage: fc.record({
          prompt: fc.integer({ min: 100, max: 9999 }),
          completion: fc.nat(5000),
          cached: fc.nat(100),
          audioPrompt: fc.nat(99),
        }),
      });
      const actual = await charge(kit, as, fc.sample(sample, { numRuns: 1200, seed: 11 }));
      const short = await charge(kit, as, [{ model: 'gpt-4o', usage: { prompt: 1000 }, shortfall: 100 }]);
      const report = await preview(kit, as, {});
      expect(report).toMatchObject({ rows: 1201, complete: true, unpriced: 0, now: actual + short, next: actual + short });
      for (const row of [...report.models, ...report.users]) expect(row.next).toBe(row.now);
      expect([report.winners, report.losers]).toEqual([[], []]);
    });

    test('says what each model would bring and who would pay less or more; nothing is saved', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const saver = await kit.user('saver');
      const payer = await kit.user('payer');
      await save(kit, as, { ModelRatio: { a: 1, b: 1 } });
      await charge(kit, saver, [{ model: 'a', usage: { prompt: 1000 } }]);
      await charge(kit, payer, [
        { model: 'b', usage: { prompt: 500 } },
        { model: 'b', usage: { prompt: 500 } },
      ]);
      const report = await preview(kit, as, { ModelRatio: { a: 0.5, b: 3 } });
      expect(report).toMatchObject({ now: 2000, next: 3500 });
      expect(report.models).toEqual([
        { name: 'b', calls: 2, now: 1000, next: 3000 },
        { name: 'a', calls: 1, now: 1000, next: 500 },
      ]);
      expect(report.winners).toEqual([{ id: saver.id, name: 'saver', calls: 1, now: 1000, next: 500 }]);
      expect(report.losers).toEqual([{ id: payer.id, name: 'payer', calls: 2, now: 1000, next: 3000 }]);
      expect(kit.deps.settings.current().ModelRatio.get('b')).toBe(1);
      const gone = await preview(kit, as, { ModelRatio: { b: 3 } });
      expect(gone).toMatchObject({ unpriced: 1, now: 2000, next: 4000 });
    });

    test('names the price of the catalogue where an entry comes or goes, and none where nothing is in force', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, { ModelRatio: { 'gpt-4o': 2, both: 1 } });
      const next = {
        ModelRatio: { 'gpt-4o-mini': 3, both: 2, unknown: 1 },
        CacheRatio: { 'gpt-4o': 1 },
        ModelPrice: { 'dall-e-3': 1 },
      };
      expect((await preview(kit, as, next)).inherited).toEqual([
        { option: 'ModelRatio', model: 'gpt-4o', value: 1.25 },
        { option: 'ModelRatio', model: 'gpt-4o-mini', value: 0.075 },
        { option: 'ModelPrice', model: 'dall-e-3', value: 0.04 },
        { option: 'CacheRatio', model: 'gpt-4o', value: 0.5 },
      ]);
    });

    test('a change that would be refused is refused here', async () => {
      const kit = await createApiKit(await open());
      const body = { changes: [{ key: 'ModelRatio', value: '{"a":-1}' }], days: 1 };
      const answer = await kit.call({ method: 'POST', path: '/api/price/preview', body, as: await kit.root() });
      expect(answer.json).toMatchObject({ success: false, message: '参数错误' });
    });
  });
});
