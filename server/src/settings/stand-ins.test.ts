import type { PayoutMethod } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { createPriceBook, priceTables } from '../billing/index.ts';
import { createCrypto } from '../platform/crypto.ts';
import { cataloguePrice } from '../providers/index.ts';
import type { Database } from '../storage/database.ts';
import { createSettings, isRegistrationOpen, standInsOf } from './index.ts';

async function store(db: Database, values: Readonly<Record<string, string>>) {
  for (const [key, value] of Object.entries(values)) {
    await db.transaction(async (tx) => {
      const row = tx.query.insertInto('option').values({ key, value });
      await row.onConflict((conflict) => conflict.column('key').doUpdateSet({ value })).execute();
    });
  }
}

const broken = {
  RegisterEnabled: 'off',
  TurnstileCheckEnabled: 'yes',
  GroupRatio: '{"pro":',
  Price: 'much',
  EpayKey: 'unsealed',
};

onEachEngine((_name, open) => {
  describe('a stored option that cannot be read', () => {
    test('keeps its last good value, while all others change', async () => {
      const kit = await createApiKit(await open());
      const { settings } = kit.deps;
      await store(kit.db, { RegisterEnabled: 'true', GroupRatio: '{"pro":5}', Price: '9' });
      await settings.refresh();
      await store(kit.db, { ...broken, RetryTimes: '7' });
      const kept = await settings.refresh();
      expect([kept.RegisterEnabled, kept.GroupRatio.get('pro'), kept.Price, kept.RetryTimes]).toEqual([true, 5, 9, 7]);
      expect(Object.fromEntries(standInsOf(await settings.refresh()))).toEqual({
        ...{ RegisterEnabled: 'kept', TurnstileCheckEnabled: 'kept', GroupRatio: 'kept', Price: 'kept', EpayKey: 'kept' },
      });
      await store(kit.db, { RegisterEnabled: 'false' });
      const healed = await settings.refresh();
      expect([healed.RegisterEnabled, standInsOf(healed).has('RegisterEnabled')]).toEqual([false, false]);
    });

    test('opens nothing after a start: no registration, every check, no price', async () => {
      const kit = await createApiKit(await open());
      await store(kit.db, broken);
      const parts = { crypto: createCrypto(Buffer.alloc(32, 7)), changes: { notify: () => undefined }, warn: () => undefined };
      const settings = await createSettings({ db: kit.db, clock: kit.clock, ...parts });
      const options = settings.current();
      const query = { model: 'gpt-4o', userGroup: 'default', usingGroup: 'default' };
      const priceOf = (seen: typeof options) => createPriceBook(priceTables(seen), cataloguePrice, 1).lookup(query);
      expect([isRegistrationOpen(options), options.TurnstileCheckEnabled, options.EpayKey]).toEqual([false, true, '']);
      expect(priceOf(options)).toBeUndefined();
      expect(priceOf(await settings.refresh())).toBeUndefined();
      expect(priceOf(settings.tryOut([{ key: 'GroupRatio', value: '{"default":1}' }]))).toMatchObject({ groupRatioNano: 1e9 });
      await settings.save([{ key: 'GroupRatio', value: '{"default":2}' }]);
      expect(priceOf(settings.current())).toMatchObject({ groupRatioNano: 2e9 });
    });

    test('is listed as what counts in its place, which its editor may save again', async () => {
      const kit = await createApiKit(await open());
      const { settings } = kit.deps;
      await store(kit.db, { Price: '9' });
      await settings.refresh();
      await store(kit.db, broken);
      const parts = { crypto: createCrypto(Buffer.alloc(32, 7)), changes: { notify: () => undefined }, warn: () => undefined };
      const started = await createSettings({ db: kit.db, clock: kit.clock, ...parts });
      const listed = async ({ list }: typeof settings) => {
        const rows = new Map((await list()).map((row) => [row.key, row]));
        return ['RegisterEnabled', 'TurnstileCheckEnabled', 'Price', 'EpayKey'].map((key) => {
          const { value, is_set: isSet } = rows.get(key) ?? {};
          return isSet ?? value;
        });
      };
      expect(await listed(settings)).toEqual(['true', 'false', '9', true]);
      expect(await listed(started)).toEqual(['false', 'true', '7.3', true]);
      await settings.save([{ key: 'Price', value: '8', seen: '9' }]);
      expect(settings.current().Price).toBe(8);
    });

    test('sells no quota while its price is not known', async () => {
      const db = await open();
      await store(db, { Price: 'much', AgentFeeRate: 'half', PayAddress: 'https://pay.example.com', EpayId: '1' });
      const kit = await createApiKit(db);
      const quote = () => kit.deps.topups.quote({ id: 1, username: 'root', group: 'default', ip: '' }, 10);
      const withdrawal = (method: PayoutMethod) => () => kit.deps.agents.own.quote({ amount: 10_000, method });
      for (const asked of [quote, withdrawal('quota'), withdrawal('bank')])
        expect(asked).toThrow(expect.objectContaining({ code: 'topup_unconfigured' }));
      await kit.deps.settings.save([
        { key: 'Price', value: '2' },
        { key: 'AgentFeeRate', value: '0.5' },
      ]);
      expect(quote()).toBe('20.00');
      expect([withdrawal('quota')(), withdrawal('bank')()]).toMatchObject([{ quota: 25_000_000 }, { fee: 5_000 }]);
    });
  });
});
