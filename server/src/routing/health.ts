import {
  type Admission,
  admissionOf,
  type BreakerCell,
  beginProbe,
  countsOf,
  endProbe,
  fail,
  isForgotten,
  newCell,
  succeed,
} from './health-breaker.ts';
import { type FailureEvidence, isEvidence, isKeyWide } from './health-classes.ts';

/** What is judged: one key of one channel, used for one model. */
export interface HealthSubject {
  readonly channelId: number;
  readonly keyId: string;
  readonly keyIndex: number;
  readonly model: string;
}

/** A breaker as people see it. `model` "" = the key itself, whatever the model. */
export interface BreakerView {
  readonly keyId: string;
  readonly model: string;
  readonly phase: BreakerCell['phase'];
  readonly ok: number;
  readonly bad: number;
  /** Until it may be probed; 0 = now. */
  readonly restMs: number;
  readonly lastClass: string;
}

export interface BreakerChange {
  readonly subject: HealthSubject;
  readonly from: BreakerCell['phase'];
  readonly to: BreakerCell['phase'];
  /** Undefined when it closed. */
  readonly evidence: FailureEvidence | undefined;
  readonly restMs: number;
}

/** The read side, all that planning needs. */
export interface HealthView {
  admission(channelId: number, keyId: string, model: string): Admission;
}

/**
 * The port to what is known about channels' health. This process keeps its own; one on a shared store can replace it,
 * as long as `admission` answers at once.
 */
export interface Health extends HealthView {
  /** Takes the one probe of a resting breaker; false when another call has it. True for one that is not resting. */
  begin(subject: HealthSubject): boolean;
  succeeded(subject: HealthSubject): void;
  /** An answer has begun: the end of a probe, so that nobody waits for the end of its answer. Counts nothing. */
  alive(subject: HealthSubject): void;
  /** Ignores what is no evidence about the channel. */
  failed(subject: HealthSubject, evidence: FailureEvidence): void;
  /** The call ended without showing anything, so that another one may probe, after `restMs` if that is given. */
  released(subject: HealthSubject, restMs?: number): void;
  /** Starts afresh, after the channel was changed or switched on. */
  forget(channelId: number): void;
  /** Nothing is known against anybody. */
  quiet(): boolean;
  /** Without those that nobody asked about for minutes after their rest. */
  view(channelId: number): BreakerView[];
  /** Breakers of all channels that are not closed, as in `view`. */
  openCount(): number;
}

interface Deps {
  readonly monotonicMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly onChange: (change: BreakerChange) => void;
}

/** Models of all channels that may be in trouble at the same time; beyond that new trouble is not recorded. */
const maxCells = 50_000;
/** Looking through all of them for room takes milliseconds. */
const sweepEveryMs = 1_000;
const anyModel = '';

export function createLocalHealth({ monotonicMs, random, onChange }: Deps): Health {
  const channels = new Map<number, Map<string, BreakerCell>>();
  let size = 0;
  let sweptMs = Number.NEGATIVE_INFINITY;

  const store = (subject: HealthSubject, model: string, before: BreakerCell, after: BreakerCell, evidence?: FailureEvidence) => {
    const nowMs = monotonicMs();
    const cells = channels.get(subject.channelId) ?? new Map<string, BreakerCell>();
    const key = cellKey(subject.keyId, model);
    if (!cells.has(key)) {
      if (size >= maxCells && nowMs - sweptMs >= sweepEveryMs) {
        size -= sweep(channels, nowMs);
        sweptMs = nowMs;
      }
      if (size >= maxCells) return;
      size += 1;
    }
    channels.set(subject.channelId, cells.set(key, after));
    if (before.phase === after.phase && before.cooling === after.cooling) return;
    const restMs = after.phase === 'open' ? Math.round(after.untilMs - nowMs) : 0;
    onChange({ subject: { ...subject, model }, from: before.phase, to: after.phase, evidence, restMs });
  };
  const resolveProbes = (subject: HealthSubject, outcome: (cell: BreakerCell, nowMs: number) => BreakerCell) => {
    if (!channels.has(subject.channelId)) return;
    for (const model of [anyModel, subject.model]) {
      const cell = cellOf(subject, model);
      if (cell?.phase === 'half-open') store(subject, model, cell, outcome(cell, monotonicMs()));
    }
  };
  const cellOf = ({ channelId, keyId }: HealthSubject, model: string) => channels.get(channelId)?.get(cellKey(keyId, model));
  const restingOf = (subject: HealthSubject, model: string) => {
    const cell = cellOf(subject, model);
    return cell?.phase === 'closed' ? undefined : cell;
  };

  return {
    admission(channelId, keyId, model) {
      const cells = channels.get(channelId);
      if (cells === undefined) return 'in';
      return worse(
        stateOf(cells.get(cellKey(keyId, anyModel)), monotonicMs),
        stateOf(cells.get(cellKey(keyId, model)), monotonicMs),
      );
    },
    begin(subject) {
      const nowMs = monotonicMs();
      const models = [anyModel, subject.model];
      for (const model of models) {
        const cell = restingOf(subject, model);
        if (cell !== undefined && admissionOf(cell, nowMs) === 'out') return false;
      }
      for (const model of models) {
        const cell = restingOf(subject, model);
        if (cell !== undefined) store(subject, model, cell, beginProbe(cell, nowMs));
      }
      return true;
    },
    succeeded(subject) {
      if (!channels.has(subject.channelId)) return;
      const nowMs = monotonicMs();
      for (const model of [anyModel, subject.model]) {
        const cell = cellOf(subject, model);
        if (cell === undefined) continue;
        if (cell.phase === 'closed' && isForgotten(cell, nowMs))
          size -= drop(channels, subject.channelId, cellKey(subject.keyId, model));
        else store(subject, model, cell, succeed(cell, nowMs));
      }
    },
    failed(subject, evidence) {
      // An upstream that judged the request is alive and knows the key; of a fault of our own nothing is learnt.
      if (evidence.class === 'client') return resolveProbes(subject, (cell, nowMs) => succeed(cell, nowMs));
      if (!isEvidence(evidence.class)) return resolveProbes(subject, (cell, nowMs) => endProbe(cell, nowMs));
      const model = isKeyWide(evidence.class) ? anyModel : subject.model;
      const before = cellOf(subject, model) ?? newCell;
      store(subject, model, before, fail(before, evidence, monotonicMs(), random()), evidence);
      resolveProbes(subject, (cell, nowMs) => fail(cell, evidence, nowMs, random()));
    },
    alive: (subject) => resolveProbes(subject, (cell, nowMs) => succeed(cell, nowMs)),
    released: (subject, restMs) => resolveProbes(subject, (cell, nowMs) => endProbe(cell, nowMs, restMs)),
    forget(channelId) {
      size -= channels.get(channelId)?.size ?? 0;
      channels.delete(channelId);
    },
    quiet: () => size === 0,
    view: (channelId) => viewOf(channels.get(channelId) ?? new Map(), monotonicMs()),
    openCount() {
      const nowMs = monotonicMs();
      const cells = [...channels.values()].flatMap((known) => [...known.values()]);
      return cells.filter((cell) => cell.phase !== 'closed' && !isForgotten(cell, nowMs)).length;
    },
  };
}

function cellKey(keyId: string, model: string): string {
  return `${keyId}\n${model}`;
}

function stateOf(cell: BreakerCell | undefined, monotonicMs: () => number): Admission {
  return cell === undefined ? 'in' : admissionOf(cell, monotonicMs());
}

function worse(left: Admission, right: Admission): Admission {
  if (left === 'out' || right === 'out') return 'out';
  return left === 'probe' ? left : right;
}

function drop(channels: Map<number, Map<string, BreakerCell>>, channelId: number, key: string): number {
  const cells = channels.get(channelId);
  const dropped = cells?.delete(key) === true ? 1 : 0;
  if (cells?.size === 0) channels.delete(channelId);
  return dropped;
}

function sweep(channels: Map<number, Map<string, BreakerCell>>, nowMs: number): number {
  let dropped = 0;
  for (const [channelId, cells] of channels) {
    for (const [key, cell] of cells) if (isForgotten(cell, nowMs)) dropped += drop(channels, channelId, key);
  }
  return dropped;
}

function viewOf(cells: ReadonlyMap<string, BreakerCell>, nowMs: number): BreakerView[] {
  const known = [...cells].filter(([, cell]) => !isForgotten(cell, nowMs));
  return known.map(([key, cell]) => {
    const split = key.indexOf('\n');
    const restMs = cell.phase === 'closed' ? 0 : Math.max(0, Math.round(cell.untilMs - nowMs));
    const { ok, bad } = countsOf(cell, nowMs);
    return {
      keyId: key.slice(0, split),
      model: key.slice(split + 1),
      phase: cell.phase,
      ok,
      bad,
      restMs,
      lastClass: cell.lastClass ?? '',
    };
  });
}
