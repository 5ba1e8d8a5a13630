import type { PageOf, PricePreview, PriceSync, PriceVersion, PricingExtras, PricingItem, SyncOption } from '@tollgate/contract';
import { parseObject } from '@tollgate/wire';
import type { Actor } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Language, PublicError } from '../platform/errors.ts';
import { UpstreamFault } from '../platform/http/client.ts';
import type { SystemClient } from '../platform/http/system-client.ts';
import type { OptionChange, Settings } from '../settings/index.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { createPriceBook, type DefaultPrice } from './price-book.ts';
import { comingPrices, type PriceSource, pricingExtras, pricingItemsFor, unpricedModels } from './price-list.ts';
import { previewPrices } from './price-preview.ts';
import { catalogueOffers, changeSet, compare, extremeFactor, gatewayOffers, inheritedIn, type Offers } from './price-sync.ts';
import { priceTables } from './price-tables.ts';
import { createPriceVersions } from './price-versions.ts';

export interface PriceDeps {
  db: Database;
  clock: Clock;
  settings: Settings;
  http: SystemClient;
  source: () => PriceSource;
  defaultPrice: (model: string) => DefaultPrice;
  ownerOf: (model: string) => string;
}

export interface Prices {
  /** `userGroup` "" = nobody is signed in. */
  pricing(userGroup: string): PricingItem[];
  extras(userGroup: string, language: Language): PricingExtras;
  /** What the catalogue has changed by then, of the models that are served here. */
  coming(): ReturnType<typeof comingPrices>;
  versions(page: number, pageSize: number): Promise<PageOf<PriceVersion>>;
  rollback(id: number, actor: Actor): Promise<void>;
  /** One at a time on a node; throws PublicError `too_many_requests` meanwhile. */
  preview(changes: readonly OptionChange[], days: number): Promise<PricePreview>;
  /** `source`: `catalogue` or another gateway's address. Writes nothing. Throws PublicError `price_sync_failed`. */
  sync(source: string): Promise<PriceSync>;
  /** `also`: what stands or falls with it. Throws PublicError `price_sync_extreme` for what needs confirming. */
  applySync(applied: AppliedSync, actor: Actor, also?: (tx: Transaction) => Promise<unknown>): Promise<void>;
  unpriced(): string[];
  /** Forgets the operator's ratios: the catalogue's are in force again. */
  resetRatios(actor: Actor): Promise<void>;
}

export interface AppliedSync {
  source: string;
  rows: readonly { option: SyncOption; model: string; to: number }[];
  confirmed?: boolean | undefined;
}

const pricingTimeoutMs = 15_000;
const maxPricingBytes = 4 * 1024 * 1024;

export function createPrices(deps: PriceDeps): Prices {
  const { settings, source, defaultPrice } = deps;
  const versions = createPriceVersions(deps);
  let previewing = false;
  return {
    pricing: (userGroup) => pricingItemsFor(source(), deps, userGroup),
    extras: (userGroup, language) => pricingExtras(source().options, userGroup, language),
    coming: () => comingPrices(source(), deps),
    versions: versions.page,
    rollback: versions.rollback,
    async preview(changes, days) {
      if (previewing) throw new PublicError('too_many_requests');
      const options = settings.tryOut(changes);
      const book = createPriceBook(priceTables(options), defaultPrice, 0);
      previewing = true;
      try {
        const beside = { tiers: options.ServiceTierRatio, tools: options.ToolPrice };
        const preview = await previewPrices(deps, { book, ...beside, days });
        return { ...preview, inherited: inheritedIn(source(), { options, prices: book }) };
      } finally {
        previewing = false;
      }
    },
    async sync(from) {
      const offers = from === 'catalogue' ? catalogueOffers(source(), defaultPrice) : await fetchOffers(deps.http, from);
      return changeSet(source(), from, offers);
    },
    async applySync(applied, actor, also) {
      // The chosen rows go over what stands there now: another node may have written it a moment ago.
      await settings.refresh();
      await settings.save(syncChanges(deps, applied), actor, `sync:${applied.source}`, also);
    },
    unpriced: () => unpricedModels(source(), defaultPrice),
    resetRatios: (actor) => settings.save([{ key: 'ModelRatio', value: '{}' }], actor, 'reset'),
  };
}

async function fetchOffers(http: SystemClient, address: string): Promise<Offers> {
  const plain = address.replace(/\/+$/, '');
  const url = plain.endsWith('/api/pricing') ? plain : `${plain}/api/pricing`;
  const asked = http.request({ url, timeoutMs: pricingTimeoutMs, maxBytes: maxPricingBytes });
  const answer = await asked.catch((error: unknown) => {
    if (error instanceof UpstreamFault) throw new PublicError('price_sync_failed', { detail: error.message });
    throw error;
  });
  const offers = answer.status === 200 ? gatewayOffers(parseObject(answer.text)) : undefined;
  if (offers === undefined) throw new PublicError('price_sync_failed', { detail: `HTTP ${answer.status}` });
  return offers;
}

/** The chosen rows over the operator's present entries, for one save and one version. */
function syncChanges({ settings, source }: PriceDeps, { rows, confirmed }: AppliedSync): OptionChange[] {
  const present = source();
  const extreme = rows.filter((row) => compare(present, row).extreme);
  if (extreme.length > 0 && confirmed !== true) {
    throw new PublicError('price_sync_extreme', { count: String(extreme.length), factor: String(extremeFactor) });
  }
  const options = settings.current();
  const tables = new Map<SyncOption | 'SecondPrice', Map<string, number>>();
  const table = (option: SyncOption | 'SecondPrice') => {
    const known = tables.get(option) ?? new Map(options[option]);
    tables.set(option, known);
    return known;
  };
  for (const { option, model, to } of rows) {
    table(option).set(model, to);
    // A price by the call would win over the ratio that was just chosen, one by the second over either.
    if (option === 'ModelRatio' && options.ModelPrice.has(model)) table('ModelPrice').delete(model);
    const isWhole = option === 'ModelRatio' || option === 'ModelPrice';
    if (isWhole && options.SecondPrice.has(model)) table('SecondPrice').delete(model);
  }
  const text = (entries: ReadonlyMap<string, number>) => JSON.stringify(Object.fromEntries(entries));
  return [...tables].map(([key, entries]) => ({ key, value: text(entries), seen: text(options[key]) }));
}
