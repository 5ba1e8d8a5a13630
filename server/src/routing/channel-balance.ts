import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { SystemClient } from '../platform/http/system-client.ts';
import {
  apiRoot,
  askUpstream,
  type ChannelTarget,
  keyHeaders,
  keyUsed,
  type ProviderFacts,
  readTarget,
  redactSecrets,
  type TargetDeps,
  type UsedKey,
  upstreamMessage,
} from './channel-target.ts';

export interface BalanceDeps extends TargetDeps {
  clock: Clock;
  http: SystemClient;
  providerOf(type: number): ProviderFacts | undefined;
}

/** Balances of upstream accounts (contract 4.13). */
export interface ChannelBalances {
  /** Asks and stores the balance of the account of one credential. Throws PublicError `尚未实现` for types without one, else the upstream's text. */
  refresh(id: number, signal?: AbortSignal): Promise<{ balance: number; key: UsedKey }>;
  has(type: number): boolean;
}

const timeoutMs = 20_000;
const maxSteps = 5;

export function createChannelBalances(deps: BalanceDeps): ChannelBalances {
  return {
    has: (type) => deps.providerOf(type)?.balance !== undefined,
    async refresh(id, signal) {
      const target = await readTarget(deps, id);
      const balance = await readBalance(deps, target, signal);
      const written = { balance, balance_updated_at: nowSeconds(deps.clock) };
      await deps.db.transaction((tx) => tx.query.updateTable('channel').set(written).where('id', '=', id).execute());
      return { balance, key: keyUsed(target.channel) };
    },
  };
}

async function readBalance(deps: BalanceDeps, { row, channel }: ChannelTarget, signal?: AbortSignal): Promise<number> {
  const facts = deps.providerOf(row.type);
  const base = apiRoot(row.base_url, facts);
  if (facts?.balance === undefined || base === '') throw new PublicError('channel_balance_unknown');
  const program = facts.balance({ base, isOwnAddress: row.base_url !== '', nowMs: deps.clock.nowMs() });
  const advance = (answer: unknown) => {
    try {
      return program.next(answer);
    } catch (error) {
      throw failed(error instanceof Error ? error.message : 'unreadable', channel.key);
    }
  };
  let step = advance(undefined);
  for (let count = 0; count < maxSteps; count += 1) {
    if (step.done === true) return step.value;
    const { url, keyHeader } = step.value;
    const headers = keyHeaders(keyHeader === undefined ? facts : { keyHeader }, channel);
    const answer = await askUpstream(deps.http, { url, headers, timeoutMs, signal, proxy: channel.setting.proxy }, [channel.key]);
    if (answer.status !== 200) throw failed(`status code ${answer.status}: ${upstreamMessage(answer.text)}`, channel.key);
    step = advance(jsonOf(answer.text, channel.key));
  }
  throw failed('too many steps', channel.key);
}

function jsonOf(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw failed('the answer is not JSON', key);
  }
}

function failed(detail: string, key: string): PublicError {
  return new PublicError('channel_upstream_failed', { detail: redactSecrets(detail, [key]) });
}
