import { statfs } from 'node:fs/promises';
import { agentStatus, channelStatus, withdrawalStatus } from '@tollgate/contract';
import { lastProof, newestUnmatched } from '../billing/index.ts';
import { type Options, standInsOf } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import {
  balanceMessage,
  diskMessage,
  downMessage,
  errorRateMessage,
  ledgerMessage,
  lossMessage,
  unreadableMessage,
  type Waiting,
  waitingMessage,
} from './alert-texts.ts';
import type { Alert, AlertCheck } from './alerts.ts';
import type { CallMeters } from './call-meters.ts';

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;
const listed = 20;

/** The ledger does not add up, as the hourly proof found. */
export function ledgerCheck(db: Database): AlertCheck {
  return async (now) => {
    const proof = await lastProof(db);
    if (proof === undefined || proof.ok === 1) return [];
    const once = { name: 'ledger_red', reached: now, apart: 6 * hourSeconds };
    return [{ event: 'ledger_red', message: ledgerMessage(proof.difference), once }];
  };
}

/** Stored options that cannot be read. */
export function optionCheck(options: () => Partial<Options>): AlertCheck {
  return async (now) => {
    const unreadable = [...standInsOf(options())].slice(0, listed);
    if (unreadable.length === 0) return [];
    const once = { name: 'option_unreadable', reached: now, apart: 6 * hourSeconds };
    return [{ event: 'option_unreadable', message: unreadableMessage(unreadable), once }];
  };
}

/** Of one kind: what began to wait before the newest of them has been told of. */
const maxWaiting = 200;

/** Money and people that wait for an administrator: each is told of once, though it began to wait after newer ones. */
export function waitingCheck(db: Database): AlertCheck {
  const agents = db.read.selectFrom('agent').select(['user_id as id', 'updated_at as since']);
  const applied = agents.where('status', '=', agentStatus.applied).orderBy('updated_at', 'desc').limit(maxWaiting);
  const withdrawals = db.read.selectFrom('agent_withdrawal').select(['id', 'created_at as since']);
  const asked = withdrawals.where('status', '=', withdrawalStatus.pending).orderBy('id', 'desc').limit(maxWaiting);
  const look: Readonly<Record<Waiting, () => Promise<readonly { id: number; since: number }[]>>> = {
    payment: () => newestUnmatched(db, maxWaiting),
    agent: () => applied.execute(),
    withdrawal: () => asked.execute(),
  };
  return async () => {
    const alerts: Alert[] = [];
    for (const [kind, find] of Object.entries(look) as [Waiting, (typeof look)[Waiting]][]) {
      const found = await find();
      if (found.length === 0) continue;
      const once = found.map(({ id, since }) => ({ name: `waiting:${kind}:${id}`, reached: since, apart: 1 }));
      alerts.push({ event: 'money_waits', message: waitingMessage(kind, found.length), once });
    }
    return alerts;
  };
}

interface Disk {
  readonly folder: string;
  /** Of this machine: nodes share no disk. */
  readonly host: string;
  readonly options: () => Pick<Options, 'AlertDiskFree'>;
}

/** The disk of the data directory is nearly full. */
export function diskCheck({ folder, host, options }: Disk): AlertCheck {
  return async (now) => {
    const least = options().AlertDiskFree;
    if (least === 0) return [];
    const { bavail, blocks, bsize } = await statfs(folder);
    const percent = (bavail / Math.max(1, blocks)) * 100;
    if (percent >= least) return [];
    const once = { name: `disk:${host}`, reached: now, apart: 6 * hourSeconds };
    return [{ event: 'disk_low', message: diskMessage({ host, percent, freeBytes: bavail * bsize }), once }];
  };
}

const maxPoor = 1_000;

/** What enabled channels have left upstream, as it was last read. */
export function balanceCheck(db: Database, options: () => Pick<Options, 'AlertUpstreamBalance'>): AlertCheck {
  return async (now) => {
    const least = options().AlertUpstreamBalance;
    if (least === 0) return [];
    const rows = await db.read
      .selectFrom('channel')
      .select(['id', 'name', 'balance'])
      .where('status', '=', channelStatus.enabled)
      .where('balance_updated_at', '>', 0)
      .where('balance', '<', least)
      .orderBy('balance')
      .limit(maxPoor)
      .execute();
    return rows.map(({ id, name, balance }) => ({
      event: 'upstream_balance' as const,
      message: balanceMessage({ channelId: id, name, balance }),
      once: { name: `balance:${id}`, reached: now, apart: daySeconds },
    }));
  };
}

interface ErrorRate {
  readonly rates: Pick<CallMeters, 'recent'>;
  readonly host: string;
  readonly options: () => Pick<Options, 'AlertErrorRate' | 'AlertErrorRateCalls'>;
}

/** Too many calls of this node failed within the last minutes. */
export function errorRateCheck({ rates, host, options }: ErrorRate): AlertCheck {
  return async (now) => {
    const { AlertErrorRate: most, AlertErrorRateCalls: fewest } = options();
    const { good, bad } = rates.recent();
    const percent = (bad / Math.max(1, good + bad)) * 100;
    if (most === 0 || good + bad < fewest || percent < most) return [];
    const once = { name: `error_rate:${host}`, reached: now, apart: hourSeconds / 2 };
    return [{ event: 'error_rate', message: errorRateMessage({ percent, calls: good + bad }), once }];
  };
}

interface Down {
  /** Breakers that keep calls away now: channel id -> its name and models. */
  readonly open: () => readonly { readonly channelId: number; readonly name: string; readonly models: readonly string[] }[];
  readonly options: () => Pick<Options, 'AlertChannelDownMinutes'>;
}

/** Channels whose breakers have been open for long. */
export function downCheck({ open, options }: Down): AlertCheck {
  const since = new Map<number, number>();
  return async (now) => {
    const minutes = options().AlertChannelDownMinutes;
    const down = open();
    const ids = new Set(down.map(({ channelId }) => channelId));
    for (const id of since.keys()) if (!ids.has(id)) since.delete(id);
    for (const id of ids) if (!since.has(id)) since.set(id, now);
    if (minutes === 0) return [];
    return down
      .filter(({ channelId }) => now - (since.get(channelId) ?? now) >= minutes * 60)
      .map((channel) => ({
        event: 'channel_down' as const,
        message: downMessage({ ...channel, minutes }),
        once: { name: `down:${channel.channelId}`, reached: now, apart: 6 * hourSeconds },
      }));
  };
}

interface Loss {
  /** Models that are sold for less than `cost` times the list price, with the lowest share of it that they are sold for. */
  readonly below: (cost: number) => readonly { readonly model: string; readonly share: number }[];
  readonly options: () => Pick<Options, 'AlertCostRatio'>;
}

/** Models that are sold below what they cost. */
export function lossCheck({ below, options }: Loss): AlertCheck {
  return async (now) => {
    const cost = options().AlertCostRatio;
    const models = cost === 0 ? [] : below(cost);
    if (models.length === 0) return [];
    const once = { name: 'loss_model', reached: now, apart: daySeconds };
    return [{ event: 'loss_model', message: lossMessage({ models: models.slice(0, listed), cost }), once }];
  };
}
