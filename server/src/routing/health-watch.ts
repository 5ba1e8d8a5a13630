import type { Log } from '../platform/log.ts';
import type { BreakerChange, Health, HealthSubject } from './health.ts';
import { type FailureEvidence, isEvidence } from './health-classes.ts';
import type { ChannelSwitch } from './health-switch.ts';
import { type DisableRules, disableReason } from './health-verdict.ts';
import type { RouteChannel } from './snapshot.ts';
import type { Timeline } from './timeline.ts';

/** What the relay tells about its attempts. Never throws, never makes a caller wait. */
export interface HealthWatch {
  readonly health: Health;
  /** The attempt may turn out either way; takes the probe of a resting breaker. */
  began(subject: HealthSubject): void;
  succeeded(subject: HealthSubject): void;
  /** The answer has begun, how it ends is told later. */
  alive(subject: HealthSubject): void;
  /** Counts the failure and switches the channel or its key off when the rules say so. */
  failed(subject: HealthSubject, evidence: FailureEvidence, rules: DisableRules): void;
  /** Ended without showing anything about the channel. */
  released(subject: HealthSubject, restMs?: number): void;
  /** Resolves when switches under way are done. */
  flush(): Promise<void>;
}

interface Deps {
  readonly health: Health;
  readonly channelSwitch: Pick<ChannelSwitch, 'disable'>;
  readonly log: Log;
}

/** Channels that are being switched off at the same time. */
const maxSwitching = 100;

export function createHealthWatch({ health, channelSwitch, log }: Deps): HealthWatch {
  const switching = new Map<string, Promise<unknown>>();
  return {
    health,
    began: (subject) => void health.begin(subject),
    succeeded: (subject) => health.succeeded(subject),
    alive: (subject) => health.alive(subject),
    released: (subject, restMs) => health.released(subject, restMs),
    failed(subject, evidence, rules) {
      health.failed(subject, evidence);
      // Refusals of what was asked for quote it, or what it led to; a 400 or 403 that speaks of the account is evidence by now.
      const reason = disableReason(evidence, isEvidence(evidence.class) ? rules : { ...rules, keywords: '' });
      const name = `${subject.channelId} ${subject.keyId}`;
      if (reason === undefined || switching.has(name) || switching.size >= maxSwitching) return;
      const { class: errorClass, status, code, type } = evidence;
      const request = {
        channelId: subject.channelId,
        reason,
        evidence: { class: errorClass, status, code, type, model: subject.model },
        key: { id: subject.keyId, index: subject.keyIndex },
      };
      const done = channelSwitch
        .disable(request)
        .catch((error: unknown) => log.warn({ err: error, channel: subject.channelId }, 'could not switch a channel off'))
        .finally(() => switching.delete(name));
      switching.set(name, done);
    },
    async flush() {
      await Promise.all(switching.values());
    },
  };
}

/** Models that breakers keep away from all the keys of a channel that it has and may use; "" = all models. */
export function downModels(health: Pick<Health, 'view'>, { id, keys }: Pick<RouteChannel, 'id' | 'keys'>): string[] {
  const open = health.view(id).filter(({ phase }) => phase !== 'closed');
  if (open.length === 0) return [];
  const usable = keys.filter(({ disabled }) => !disabled);
  const isDown = (model: string) =>
    usable.every((key) => open.some((cell) => cell.keyId === key.id && (cell.model === '' || cell.model === model)));
  return [...new Set(open.map(({ model }) => model))].filter(isDown);
}

/** Writes openings and closings of breakers into the timeline; what a probe showed in between is left out. */
export function breakerNotes(timeline: Pick<Timeline, 'note'>): (change: BreakerChange) => void {
  return ({ subject, from, to, evidence, restMs }) => {
    const opened = to === 'open' && from === 'closed';
    if (!opened && to !== 'closed') return;
    const { channelId, model, keyIndex } = subject;
    const kind = opened ? 'breaker_open' : 'breaker_closed';
    const reason = evidence === undefined ? '' : evidence.message || evidence.class;
    const shown =
      evidence === undefined ? {} : { class: evidence.class, status: evidence.status, code: evidence.code, rest_ms: restMs };
    timeline.note({ channelId, kind, actor: 'system', reason, model, keyIndex, evidence: shown });
  };
}
