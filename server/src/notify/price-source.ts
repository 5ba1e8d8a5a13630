import type { PriceSync, PriceSyncRow } from '@tollgate/contract';
import type { Actor } from '../audit/index.ts';
import type { Prices } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Options } from '../settings/index.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { priceWatchMessage } from './alert-texts.ts';
import type { Alert, AlertCheck } from './alerts.ts';
import { giveBack, publish, reach } from './publish.ts';

interface Parts {
  readonly db: Database;
  readonly prices: Pick<Prices, 'sync' | 'applySync'>;
  readonly options: () => Pick<Options, 'PriceWatchHours' | 'PriceWatchSource' | 'PriceWatchPercent'>;
}

/** Whose name stands at what was applied without anybody. */
const byItself: Actor = { id: 0, username: 'price watch', ip: '' };
const listed = 20;

/**
 * Looks at the prices of the source that root chose, on one node every so many hours. What moved little is applied as one
 * version when root allows it, anything else waits for a yes in the price editor. Root is told of either, and of a source
 * that cannot be read, in the transaction of what was applied. A turn that ended in a fault of ours is taken again.
 */
export function priceWatchCheck(parts: Parts): AlertCheck {
  const { db, options } = parts;
  return async (now) => {
    const { PriceWatchHours: hours } = options();
    if (hours === 0) return [];
    const turn = { name: 'price_watch', reached: now, apart: hours * 3_600 };
    if (!(await db.transaction((tx) => tx.perform(reach(turn))))) return [];
    try {
      await look(parts, now);
      return [];
    } catch (error) {
      // Of two faults the first tells more.
      await db.transaction((tx) => tx.perform(giveBack(turn))).catch(() => undefined);
      throw error;
    }
  };
}

async function look({ db, prices, options }: Parts, now: number): Promise<void> {
  const { PriceWatchSource: address, PriceWatchPercent: most } = options();
  const source = address || 'catalogue';
  const tell = (kind: Parameters<typeof alert>[0], changes: readonly string[]) => (tx: Transaction) =>
    tx.perform(publish({ ...alert(kind, source, changes), audience: 'root' }, now));
  try {
    const { rows, truncated } = await prices.sync(source);
    const served = rows.filter(({ enabled }) => enabled);
    if (served.length === 0) return;
    const isSmall = !truncated && served.every((row) => movesBy(row) <= most);
    if (isSmall) await prices.applySync({ source, rows: served }, byItself, tell('applied', toldOf(served)));
    else await db.transaction(tell('proposed', toldOf(served)));
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    await db.transaction(tell('failed', [String(error.values.detail ?? error.code)]));
  }
}

/** Percent; a price that was none, or becomes none, moves without a bound, and so does one beside tiers: what calls cost is in those. */
function movesBy({ from, to, tiers }: PriceSyncRow): number {
  if (from === null || from === 0 || to === 0 || tiers !== undefined) return Number.POSITIVE_INFINITY;
  // Ten percent must be ten, not ten and a trace.
  return Number(((Math.abs(to - from) / from) * 100).toPrecision(9));
}

function toldOf(rows: PriceSync['rows']): string[] {
  const shown = rows.slice(0, listed).map(toldOfRow);
  return rows.length > listed ? [...shown, `… (+${rows.length - listed})`] : shown;
}

function toldOfRow({ option, model, from, to, tiers }: PriceSyncRow): string {
  return `${model} ${option} ${from ?? '-'} → ${to}${tiers === undefined ? '' : ' (PriceTiers)'}`;
}

function alert(kind: Parameters<typeof priceWatchMessage>[0], source: string, changes: readonly string[]): Alert {
  return { event: 'price_watch', message: priceWatchMessage(kind, { source, changes }) };
}
