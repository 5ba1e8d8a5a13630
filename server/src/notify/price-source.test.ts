import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { newPeer } from '../../test/price-peer.ts';

const hourMs = 3_600_000;

onEachEngine((_name, open) => {
  /** A gateway that is asked every 6 hours, with `percent`; `offer`: what it asks for the one model that is served here. */
  const furnished = async (percent: number) => {
    let ratio: number | undefined = 2;
    let asked = 0;
    const rewrite = await newPeer(() => {
      asked += 1;
      if (ratio === undefined) return { status: 500, body: '' };
      const price = (model_name: string, model_ratio: number) => ({ model_name, quota_type: 0, model_ratio });
      return { body: JSON.stringify({ data: [price('mine', ratio), price('unserved', 99)] }) };
    });
    const kit = await createApiKit(await open(), { ...rewrite, models: ['mine'] });
    const as = await kit.root();
    const save = async (key: string, value: unknown) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const answer = await kit.call({ method: 'PUT', path: '/api/option/', body: { key, value: text }, as });
      expect(answer.json.success).toBe(true);
    };
    await save('ModelRatio', { mine: 2, kept: 1 });
    await save('PriceWatchSource', 'https://prices.example');
    await save('PriceWatchPercent', percent);
    const lookNow = async (offer?: number) => {
      ratio = offer;
      const looks = await Promise.allSettled([kit.lookForAlerts(), kit.lookForAlerts()]);
      for (const each of looks) if (each.status === 'rejected') throw each.reason;
      return (await kit.toldRoot()).filter(({ event }) => event === 'price_watch').map(({ type, values }) => [type, ...values]);
    };
    const look = (offer?: number) => {
      kit.clock.advanceMs(6 * hourMs);
      return lookNow(offer);
    };
    const ratios = () => Object.fromEntries(kit.deps.settings.current().ModelRatio);
    return { kit, save, look, lookNow, ratios, asked: () => asked };
  };
  const mine = (to: number) => `mine ModelRatio 2 → ${to}`;

  test('nobody is asked until root says how often, and then no more often, whatever nodes look', async () => {
    const { kit, save, look, asked } = await furnished(0);
    expect([await look(3), asked()]).toEqual([[], 0]);
    await save('PriceWatchHours', 6);
    expect([(await look(3)).length, asked()]).toEqual([1, 1]);
    kit.clock.advanceMs(5 * hourMs);
    await kit.lookForAlerts();
    expect(asked()).toBe(1);
  });

  test('without leave a change waits: root is told, and no price has moved; the same prices are nothing to tell', async () => {
    const { save, look, ratios } = await furnished(0);
    await save('PriceWatchHours', 6);
    expect(await look(2)).toEqual([]);
    expect(await look(2.02)).toEqual([['price_watch_proposed', 'https://prices.example', mine(2.02)]]);
    expect(ratios()).toEqual({ mine: 2, kept: 1 });
  });

  test('what moves no more than root allows is one version that can be taken back; anything more waits whole', async () => {
    const { kit, save, look, ratios } = await furnished(10);
    await save('PriceWatchHours', 6);
    expect(await look(2.3)).toEqual([['price_watch_proposed', 'https://prices.example', mine(2.3)]]);
    expect(await look(0)).toHaveLength(2);
    expect(ratios()).toEqual({ mine: 2, kept: 1 });
    expect((await look(2.2)).at(-1)).toEqual(['price_watch_applied', 'https://prices.example', mine(2.2)]);
    expect(ratios()).toEqual({ mine: 2.2, kept: 1 });
    const { items } = await kit.deps.prices.versions(1, 10);
    expect(items[0]).toMatchObject({ author: 'price watch', note: 'sync:https://prices.example', changed: 1 });
    const audit = await kit.db.read.selectFrom('audit').select(['actor', 'action']).orderBy('seq', 'desc').limit(1).execute();
    expect(audit).toEqual([{ actor: 'price watch', action: 'option.change' }]);
    await kit.deps.prices.rollback(items.at(1)?.id ?? 0, { id: 1, username: 'root', ip: '' });
    expect(ratios()).toEqual({ mine: 2, kept: 1 });
  });

  test('a price beside tiers waits, however little it moves: what calls cost stands in the tiers', async () => {
    const { save, look, ratios } = await furnished(10);
    await save('PriceWatchHours', 6);
    await save('PriceTiers', { mine: [{ ratio: 2 }] });
    expect(await look(2.02)).toEqual([['price_watch_proposed', 'https://prices.example', `${mine(2.02)} (PriceTiers)`]]);
    expect(ratios()).toEqual({ mine: 2, kept: 1 });
  });

  test('what cannot be told of is not applied, and is looked at again at once', async () => {
    const { kit, save, look, lookNow, ratios } = await furnished(50);
    await save('PriceWatchHours', 6);
    expect(await look(2)).toEqual([]);
    const rename = (from: string, to: string) =>
      kit.db.transaction((tx) => tx.query.schema.alterTable(from).renameTo(to).execute());
    await rename('notification', 'elsewhere');
    const fault = { message: expect.stringContaining('notification') };
    await expect(look(2.2)).rejects.toMatchObject({ errors: [fault] });
    await rename('elsewhere', 'notification');
    expect(ratios()).toEqual({ mine: 2, kept: 1 });
    expect(await lookNow(2.2)).toEqual([['price_watch_applied', 'https://prices.example', mine(2.2)]]);
    expect(await lookNow(2.3)).toHaveLength(1);
    expect(ratios()).toEqual({ mine: 2.2, kept: 1 });
  });

  test('a source that cannot be read is told, moves nothing and is asked again at its time', async () => {
    const { save, look, ratios } = await furnished(50);
    await save('PriceWatchHours', 6);
    expect(await look()).toEqual([['price_watch_failed', 'https://prices.example', 'HTTP 500']]);
    expect(ratios()).toEqual({ mine: 2, kept: 1 });
    expect((await look(2.2)).at(-1)?.[0]).toBe('price_watch_applied');
  });
});
