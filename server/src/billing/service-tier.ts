import { nano, toNano } from './decimal.ts';
import { priceName } from './price-book.ts';
import type { PriceSnapshot } from './types.ts';

/** Model -> how a call may be served -> what that multiplies its price by. `*` stands for every model. */
export type TierRatios = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Members by which a call chooses how it is served, and answers say how it was: each with its word, in lower case. */
export type Choices = Readonly<Partial<Record<'service_tier' | 'speed' | 'inference_geo', string>>>;

/** What multiplies a price because of how the call is served, and its name. */
interface ServiceTier {
  readonly name: string;
  readonly ratioNano: number;
}

/** Words that no vendor asks more for than for a call that does not choose. */
const plain: ReadonlySet<string> = new Set([
  ...['', 'auto', 'default', 'standard', 'standard_only', 'on_demand', 'unspecified', 'flex', 'batch'],
  ...['global', 'not_available'],
]);

/** The operator's word for the model, then for every model; undefined = what it costs is not known. */
export function tierRatio(ratios: TierRatios, model: string, word: string): number | undefined {
  return ratios.get(priceName(model))?.get(word) ?? ratios.get('*')?.get(word) ?? (plain.has(word) ? 1 : undefined);
}

/**
 * How a call is charged for what it chose: by what its answer says (`told`), and never above what was asked for or, where
 * that is less, the plain price. What nobody tells is charged as asked, and never below the plain price: so are holds.
 * Undefined = plainly. Decision 0123.
 */
export function tierOfCall(ratios: TierRatios, model: string, asked: Choices, told: Choices = {}): ServiceTier | undefined {
  const factors = Object.entries(asked).flatMap(([choice, word]): ServiceTier[] => {
    const most = Math.max(1, tierRatio(ratios, model, word) ?? 1);
    const said = told[choice as keyof Choices];
    const known = said === undefined ? undefined : tierRatio(ratios, model, said);
    const isTold = said !== undefined && known !== undefined && known <= most;
    const ratio = isTold ? known : most;
    return ratio === 1 ? [] : [{ name: isTold ? said : word, ratioNano: toNano(ratio) }];
  });
  return factors.length === 0 ? undefined : factors.reduce(together);
}

/** The tier of a call that was charged, as it would be now; a name that has no ratio any more keeps the one it had. */
export function tierAgain(ratios: TierRatios, { model, serviceTier, serviceTierNano }: PriceSnapshot): ServiceTier | undefined {
  if (serviceTier === undefined || serviceTierNano === undefined) return undefined;
  const now = serviceTier.split('+').map((word) => tierRatio(ratios, model, word));
  const known = now.filter((ratio) => ratio !== undefined);
  if (known.length < now.length) return { name: serviceTier, ratioNano: serviceTierNano };
  return known.map((ratio) => ({ name: '', ratioNano: toNano(ratio) })).reduce(together);
}

/** Digits beyond the ninth are rounded up. */
function together(one: ServiceTier, other: ServiceTier): ServiceTier {
  const exact = BigInt(one.ratioNano) * BigInt(other.ratioNano);
  const rounded = Number((exact + BigInt(nano) - 1n) / BigInt(nano));
  return { name: `${one.name}+${other.name}`, ratioNano: Math.min(rounded, Number.MAX_SAFE_INTEGER) };
}

const tiered = new WeakMap<PriceSnapshot, Map<string, PriceSnapshot>>();

/** The same price at that tier, undefined = at none; one frozen record for the same two, since many calls share it. */
export function withServiceTier(price: PriceSnapshot, tier: ServiceTier | undefined): PriceSnapshot {
  if (price.serviceTier === tier?.name && price.serviceTierNano === tier?.ratioNano) return price;
  const key = tier === undefined ? '' : `${tier.ratioNano} ${tier.name}`;
  const known = tiered.get(price) ?? new Map<string, PriceSnapshot>();
  const found = known.get(key);
  if (found !== undefined) return found;
  const { serviceTier: _, serviceTierNano: __, ...rest } = price;
  const made = Object.freeze(tier === undefined ? rest : { ...rest, serviceTier: tier.name, serviceTierNano: tier.ratioNano });
  tiered.set(price, known.set(key, made));
  return made;
}
