import { priceOptions } from '@tollgate/contract';
import { isClosed, type Options } from '../settings/index.ts';

type Table = ReadonlyMap<string, number>;

/** The operator's entries; numbers as they stand in the options (decimal). */
export interface PriceTables {
  /** Dollars per call. */
  modelPrice: Table;
  /** Dollars per second; wins over every other price of the model. */
  secondPrice: Table;
  modelRatio: Table;
  completionRatio: Table;
  cacheRatio: Table;
  cacheWriteRatio: Table;
  cacheWrite1hRatio: Table;
  audioRatio: Table;
  audioCompletionRatio: Table;
  imageRatio: Table;
  tiers: Options['PriceTiers'];
  groupRatio: Table;
  /** User's group -> used group -> ratio. */
  groupGroupRatio: ReadonlyMap<string, Table>;
  quotaPerUnit: number;
  /** Models without a price are allowed at ratio 37.5. */
  selfUseMode: boolean;
  /** What calls cost, or how many are allowed, is not known: nothing has a price. */
  closed?: boolean;
}

/** What the options say about prices. */
export function priceTables(options: Options): PriceTables {
  return {
    modelPrice: options.ModelPrice,
    secondPrice: options.SecondPrice,
    modelRatio: options.ModelRatio,
    completionRatio: options.CompletionRatio,
    cacheRatio: options.CacheRatio,
    cacheWriteRatio: options.CreateCacheRatio,
    cacheWrite1hRatio: options.CreateCacheRatio1h,
    audioRatio: options.AudioRatio,
    audioCompletionRatio: options.AudioCompletionRatio,
    imageRatio: options.ImageRatio,
    tiers: options.PriceTiers,
    groupRatio: options.GroupRatio,
    groupGroupRatio: options.GroupGroupRatio,
    quotaPerUnit: options.QuotaPerUnit,
    selfUseMode: options.SelfUseModeEnabled,
    closed: isClosed(options, [...priceOptions, 'GroupLimits']),
  };
}
