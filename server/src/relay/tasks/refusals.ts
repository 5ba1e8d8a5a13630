import type { WireError } from '@tollgate/wire';
import type { SubmitReading } from '../../providers/index.ts';
import type { RouteChannel, Target } from '../../routing/index.ts';
import { RelayFault } from '../faults.ts';
import type { RelayParts } from '../parts.ts';
import { type Refusal, refusalFault } from '../refusal-fault.ts';
import { saidByCaller } from '../said-by-caller.ts';
import type { TaskOrder } from './order.ts';

interface Asked {
  readonly parts: Pick<RelayParts, 'clock' | 'snapshot'>;
  readonly order: Pick<TaskOrder, 'bytes'>;
}

/** The upstream's own no, for the caller. */
export function passedOn({ message, type, code }: WireError, usualCode = ''): RelayFault {
  return new RelayFault({ status: 502, message, type, code: String(code ?? usualCode) });
}

/** As of any call: what speaks of the account, and was not said by the caller, is not the caller's doing (decision 0088). */
export function saidNo({ parts, order }: Asked, channel: RouteChannel, refusal: Refusal): RelayFault {
  const { AutomaticDisableKeywords: keywords } = parts.snapshot().options;
  const rules = { keywords, saidByCaller: (text: string) => saidByCaller(order.bytes, text) };
  return refusalFault(channel, refusal, parts.clock.nowMs(), rules);
}

/** What a refusal in the upstream's protocol says about the channel; undefined = it was accepted. */
export function refusedAs(asked: Asked, { channel }: Target, reading: SubmitReading): RelayFault | undefined {
  if (reading.kind === 'accepted') return undefined;
  const { error, elsewhere, unusable } = reading;
  const fault = saidNo(asked, channel, { status: !elsewhere ? 400 : unusable === undefined ? 429 : 503, error });
  if (unusable === undefined || fault.evidence === undefined) return fault;
  const evidence = { ...fault.evidence, class: 'quota' as const, type: 'insufficient_quota', message: unusable };
  return new RelayFault({ status: 503, code: fault.code, message: fault.message, evidence });
}
