import { realtime } from '@tollgate/wire';
import type { Call } from './call.ts';
import { localFault } from './faults.ts';
import type { Connected } from './realtime-connect.ts';
import type { Turns } from './realtime-turns.ts';
import { checkWords } from './sensitive.ts';

/** What a session is made of once its caller was let in and an upstream agreed. */
export interface Agreed {
  readonly call: Call;
  readonly connected: Connected;
  readonly turns: Turns;
}

/** What the upstream gets of a caller's message. Throws RelayFault when that is nothing. */
export function judgedMessage(agreed: Agreed, bytes: Buffer): Buffer {
  const event = realtime.readClientEvent(bytes);
  switch (event.kind) {
    case 'invalid':
      throw localFault('invalid_request', { reason: event.reason });
    case 'heard':
      agreed.turns.heard(0, event.soundBytes);
      return bytes;
    case 'spelled': {
      const { options } = agreed.call.snapshot;
      if (options.CheckSensitiveEnabled) checkWords(options, { bytes: wordsOf(event.event) });
      const sent = withOwnModel(agreed, event.event);
      agreed.turns.heard(event.textBytes, 0);
      return sent ?? bytes;
    }
    default:
      return bytes;
  }
}

/** What an event says, as the search for words knows it. */
function wordsOf(event: Readonly<Record<string, unknown>>): Buffer {
  const { item, session, response } = event as Record<string, Partial<Record<string, unknown>> | undefined>;
  const messages = [item, ...[session, response].flatMap((own) => [own?.instructions, own?.input, own?.prompt])];
  return Buffer.from(JSON.stringify({ messages, tools: [session?.tools, response?.tools] }));
}

/** The caller's model goes by the upstream's name; another one would be sold at this one's price. Throws RelayFault. */
function withOwnModel({ call, connected }: Agreed, event: Record<string, unknown>): Buffer | undefined {
  const named = realtime.modelNamed(event);
  const { upstreamModel } = connected.outgoing;
  if (named === undefined) return undefined;
  if (named !== call.model && named !== upstreamModel) throw localFault('session_model_fixed', { model: call.model });
  return realtime.withModel(event, upstreamModel ?? call.model);
}
