import type { PricingExtras, PricingItem } from '@tollgate/contract';
import { type Batch, type Json, model, row, type Sight } from './scene.ts';

async function pricing({ gateway }: Sight): Promise<PricingExtras & { data: PricingItem[] }> {
  return (await (await fetch(`${gateway.url}/api/pricing`)).json()) as PricingExtras & { data: PricingItem[] };
}
const item = (name: string, field: keyof PricingItem) => async (sight: Sight) =>
  (await pricing(sight)).data.find((each) => each.model_name === name)?.[field];
const only = (value: number, name = model) => JSON.stringify({ [name]: value });
const tiers = '{"gpt-4o":[{"up_to":1000,"ratio":1},{"ratio":2}]}';

/** What calls cost, as everybody may read it. */
export const priceBatches: readonly Batch[] = [
  {
    name: 'prices',
    prepare: async ({ root, upstream }) => {
      await root.addChannel({ name: 'tiers', base_url: upstream.url, key: 'sk-tiers-0001', models: 'gpt-4o,tts-1' });
    },
    rows: [
      row('ModelRatio', only(3), item(model, 'model_ratio'), 3),
      row('CompletionRatio', only(5), item(model, 'completion_ratio'), 5),
      row('CacheRatio', only(0.25), item(model, 'cache_ratio'), 0.25),
      row('CreateCacheRatio', only(1.5), item(model, 'cache_creation_ratio'), 1.5),
      row('CreateCacheRatio1h', only(2.5), item(model, 'cache_creation_1h_ratio'), 2.5),
      row('AudioRatio', only(7), item(model, 'audio_ratio'), 7),
      row('AudioCompletionRatio', only(9), item(model, 'audio_completion_ratio'), 9),
      row('ImageRatio', only(11), item(model, 'image_ratio'), 11),
      row('ModelPrice', only(0.5, 'house-model'), item('house-model', 'model_price'), 0.5),
      row('SecondPrice', only(0.25, 'tts-1'), item('tts-1', 'per_second'), true),
      row('PriceTiers', tiers, async (sight) => ((await item('gpt-4o', 'tiers')(sight)) as Json[] | undefined)?.[0]?.up_to, 1000),
      row('ServiceTierRatio', '{"*":{"priority":3}}', async (sight) => (await pricing(sight)).service_tier_ratio?.priority, 3),
      row('ToolPrice', '{"*":{"web_search":10}}', async (sight) => (await pricing(sight)).tool_price?.web_search, 10),
      row('GroupRatio', '{"default":2,"vip":1}', async (sight) => (await pricing(sight)).group_ratio.default, 2),
      row(
        'GroupGroupRatio',
        '{"default":{"vip":0.25}}',
        async ({ root }) => (await root.call<Record<string, Json>>('GET', '/api/user/self/groups')).vip?.ratio,
        0.25,
      ),
    ],
  },
];
