import { type ErrorClass, type FailureEvidence, isKeyWide } from './health-classes.ts';

export const breakerRules = {
  /** Failures older than this are forgotten. */
  windowMs: 30_000,
  /** It takes so many failures in the window ... */
  minFailures: 5,
  /** ... that make this share of what was seen in it, or ... */
  failureShare: 0.5,
  /** ... so many without a success in between. */
  failureStreak: 8,
  /** How long the first opening lasts; each further one twice as long ... */
  firstOpenMs: 2_000,
  /** ... but never longer than this. */
  longestOpenMs: 30_000,
  /** A probe without an outcome is given up after this. */
  probeMs: 30_000,
  /** An opening whose end nobody probed for so long says nothing about now any more. */
  unprobedMs: 300_000,
} as const;

interface Slot {
  readonly startMs: number;
  readonly ok: number;
  readonly bad: number;
}

/** The breaker of one channel, model and key. Immutable; exists from the first failure on. */
export interface BreakerCell {
  readonly phase: 'closed' | 'open' | 'half-open';
  /** Counts per sixth of the window, oldest first. */
  readonly slots: readonly Slot[];
  readonly streak: number;
  /** Openings since it was last well for two windows. */
  readonly trips: number;
  /** Open: until when. Half-open: until when the probe is waited for. */
  readonly untilMs: number;
  /** The upstream asked for this rest: a success of a call that was already running does not end it. */
  readonly cooling: boolean;
  readonly lastClass: ErrorClass | undefined;
  readonly lastFailureMs: number;
}

/** `in`: give it calls. `probe`: one call may find out. `out`: leave it alone. */
export type Admission = 'in' | 'probe' | 'out';

export const newCell: BreakerCell = {
  phase: 'closed',
  slots: [],
  streak: 0,
  trips: 0,
  untilMs: 0,
  cooling: false,
  lastClass: undefined,
  lastFailureMs: Number.NEGATIVE_INFINITY,
};

const slotsPerWindow = 6;
const jitter = 0.2;

export function admissionOf(cell: BreakerCell, nowMs: number): Admission {
  if (cell.phase === 'closed') return 'in';
  return nowMs < cell.untilMs ? 'out' : 'probe';
}

/** The one call that may find out is under way: others are kept away until its outcome, or until it takes too long. */
export function beginProbe(cell: BreakerCell, nowMs: number): BreakerCell {
  return { ...cell, phase: 'half-open', untilMs: nowMs + breakerRules.probeMs, cooling: false };
}

/** The probe showed nothing: after a rest another call may try. */
export function endProbe(cell: BreakerCell, nowMs: number, restMs = 0): BreakerCell {
  return cell.phase === 'half-open' ? { ...cell, phase: 'open', untilMs: nowMs + restMs } : cell;
}

/** A call succeeded. Closes a breaker, except one that rests on the upstream's own wish. */
export function succeed(cell: BreakerCell, nowMs: number): BreakerCell {
  if (cell.phase === 'open' && cell.cooling && nowMs < cell.untilMs) return cell;
  if (cell.phase !== 'closed') return { ...newCell, trips: cell.trips, lastFailureMs: cell.lastFailureMs };
  return { ...cell, slots: count(cell.slots, nowMs, 1, 0), streak: 0 };
}

/** A call failed with evidence about the channel. `random` in [0, 1) spreads the end of openings. */
export function fail(
  cell: BreakerCell,
  evidence: Pick<FailureEvidence, 'class' | 'coolMs' | 'byWords'>,
  nowMs: number,
  random: number,
): BreakerCell {
  const slots = count(cell.slots, nowMs, 0, 1);
  const trips = nowMs - cell.lastFailureMs > 2 * breakerRules.windowMs ? 0 : cell.trips;
  const failed = { ...cell, slots, trips, streak: cell.streak + 1, lastClass: evidence.class, lastFailureMs: nowMs };
  const coolMs = evidence.coolMs ?? 0;
  if (cell.phase === 'open' && nowMs < cell.untilMs) {
    if (nowMs + coolMs <= cell.untilMs) return failed;
    return { ...failed, untilMs: nowMs + coolMs, cooling: true };
  }
  // A rest that the upstream asked for is taken as it is: it ends on time, and it is no sign of illness.
  if (coolMs > 0) return { ...failed, phase: 'open', untilMs: nowMs + coolMs, cooling: true };
  if (cell.phase === 'closed' && !isProof(evidence) && !isIll(failed)) return failed;
  const openMs = Math.min(breakerRules.longestOpenMs, breakerRules.firstOpenMs * 2 ** trips) * (1 - jitter * random);
  return { ...failed, phase: 'open', untilMs: nowMs + openMs, cooling: false, trips: trips + 1 };
}

/** Nothing worth keeping is in it. */
export function isForgotten(cell: BreakerCell, nowMs: number): boolean {
  if (cell.phase !== 'closed') return nowMs - cell.untilMs > breakerRules.unprobedMs;
  return nowMs - cell.lastFailureMs > 2 * breakerRules.windowMs;
}

export function countsOf(cell: BreakerCell, nowMs: number): { ok: number; bad: number } {
  let ok = 0;
  let bad = 0;
  for (const slot of cell.slots) {
    if (nowMs - slot.startMs >= breakerRules.windowMs) continue;
    ok += slot.ok;
    bad += slot.bad;
  }
  return { ok, bad };
}

/** One refusal is enough: the key is dead or empty, and the upstream said so where no caller speaks. */
function isProof(evidence: Pick<FailureEvidence, 'class' | 'byWords'>): boolean {
  return isKeyWide(evidence.class) && evidence.byWords !== true;
}

function isIll(cell: BreakerCell): boolean {
  const { ok, bad } = countsOf(cell, cell.lastFailureMs);
  return (
    bad >= breakerRules.minFailures &&
    (bad >= breakerRules.failureShare * (ok + bad) || cell.streak >= breakerRules.failureStreak)
  );
}

function count(slots: readonly Slot[], nowMs: number, ok: number, bad: number): readonly Slot[] {
  const slotMs = breakerRules.windowMs / slotsPerWindow;
  const startMs = Math.floor(nowMs / slotMs) * slotMs;
  const kept = slots.filter((slot) => nowMs - slot.startMs < breakerRules.windowMs);
  const last = kept.at(-1);
  if (last === undefined || last.startMs !== startMs) return [...kept, { startMs, ok, bad }];
  return [...kept.slice(0, -1), { startMs, ok: last.ok + ok, bad: last.bad + bad }];
}
