import { type Ledger, LedgerUnavailable, type Outbox, type SettleRequest, type Signer } from '../billing/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { within } from '../platform/within.ts';
import { type Call, ownerOf } from './call.ts';
import { RelayFault } from './faults.ts';
import { type CallOutcome, draftLog } from './log-draft.ts';

export interface SettlerParts {
  readonly ledger: Pick<Ledger, 'settle' | 'release'>;
  readonly outbox: Pick<Outbox, 'add'>;
  readonly sign: Signer;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every call that is charged, before its charge is durable. */
  readonly onSettled?: ((call: SettledCall) => void) | undefined;
  /** How long closing is repeated at most before it is left to the sweeper. */
  readonly leaseSeconds: number;
}

/** A charged call in figures: tokens, quota units, milliseconds. */
export interface SettledCall {
  readonly model: string;
  readonly channelId: number;
  readonly isStream: boolean;
  readonly cost: number;
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly durationMs: number;
  readonly firstByteMs: number | undefined;
}

/** Closes holds. Both resolve when the close is durable, or after seconds; a failing database is retried, never ignored. */
export interface Settler {
  settle(call: Call, outcome: Omit<CallOutcome, 'durationMs'>): Promise<void>;
  release(call: Call): Promise<void>;
}

const firstPauseMs = 50;
const longestPauseMs = 5_000;
/** A caller waits for it: after this a settle goes to the outbox, and a release on by itself (no request takes 10 s because of the database). */
export const inPlaceMs = 4_000;

export function createSettler(parts: SettlerParts): Settler {
  const { ledger, sign, clock, log } = parts;
  const leaseMs = parts.leaseSeconds * 1000;
  return {
    settle(call, outcome) {
      const durationMs = clock.monotonicMs() - call.startedMonotonicMs;
      const { cost, draft } = draftLog(call, { ...outcome, durationMs }, sign);
      const { prompt, completion, cached } = outcome.usage;
      const { model, isStream } = call;
      const { channelId, firstByteMs } = outcome;
      parts.onSettled?.({ model, channelId, isStream, cost, prompt, completion, cached, durationMs, firstByteMs });
      return settle(parts, { id: call.id, cost, now: nowSeconds(clock), draft });
    },
    release(call) {
      const released = insist(clock, leaseMs, () => ledger.release(call.id, ownerOf(call))).then((fault) => {
        if (fault !== undefined)
          log.error({ err: fault, requestId: call.id }, 'release failed until the lease ended; the sweeper closes this hold');
      });
      // Whoever waits for it has to be told of a failure: the rest goes on without them.
      return within(released, inPlaceMs, nothing);
    },
  };
}

/** Books at once, else keeps it in the outbox, else goes on trying both until the lease has ended. */
async function settle({ ledger, outbox, clock, log, leaseSeconds }: SettlerParts, request: SettleRequest): Promise<void> {
  const { id: requestId } = request;
  const attempt = () => ledger.settle(request);
  const leaseMs = leaseSeconds * 1000;
  const fault = await insist(clock, Math.min(inPlaceMs, leaseMs), attempt);
  if (fault === undefined) return;
  try {
    await outbox.add(request);
    log.warn({ err: fault, requestId }, 'settle failed; the outbox keeps it');
    return;
  } catch (error) {
    log.error({ err: error, requestId }, 'settle failed and the outbox cannot keep it; trying on until the lease ends');
  }
  const eitherWay = async () => {
    await within(attempt(), inPlaceMs, tooLate).catch(() => outbox.add(request));
  };
  const last = await insist(clock, Math.max(0, leaseMs - inPlaceMs), eitherWay);
  if (last !== undefined)
    log.error({ err: last, requestId }, 'settle failed until the lease ended; the sweeper closes this hold');
}

/** Repeats `attempt` with growing pauses for at most `limitMs`. Returns the last failure, undefined when it worked. */
export function insist(clock: Clock, limitMs: number, attempt: () => Promise<unknown>): Promise<unknown> {
  const deadlineMs = clock.monotonicMs() + limitMs;
  return within(attempt(), Math.max(1, limitMs), tooLate).then(nothing, (fault) => repeat(clock, deadlineMs, attempt, fault));
}

/** The same for an answer. Throws the last failure, and at once what is refused, which is not asked again. */
export async function insistOn<T>(clock: Clock, limitMs: number, ask: () => Promise<T>): Promise<T> {
  let answer: { readonly value: T } | RelayFault | undefined;
  const fault = await insist(clock, limitMs, async () => {
    answer = await ask().then(
      (value) => ({ value }),
      (error: unknown) => {
        if (error instanceof RelayFault) return error;
        throw error;
      },
    );
  });
  if (answer === undefined || answer instanceof RelayFault) throw answer ?? fault;
  return answer.value;
}

async function repeat(clock: Clock, deadlineMs: number, attempt: () => Promise<unknown>, first: unknown): Promise<unknown> {
  let fault = first;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    if (clock.monotonicMs() + pauseMs > deadlineMs) return fault ?? new Error('unknown failure');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    try {
      await within(attempt(), Math.max(1, deadlineMs - clock.monotonicMs()), tooLate);
      return undefined;
    } catch (error) {
      fault = error;
    }
  }
}

const nothing = () => undefined;

/** A late answer is as good as none: what it did is found by its ref. */
function tooLate(): never {
  throw new LedgerUnavailable('The ledger did not answer in time');
}
