import { realtime } from '@tollgate/wire';
import { upstreamModel } from '../routing/index.ts';
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
  /** The session's model is the one that writes down; none answers. */
  readonly onlyWrites: boolean;
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
      const sent = withOwnTranscriber(agreed, withOwnModel(agreed, event.event));
      agreed.turns.heard(event.textBytes, 0);
      return sent === event.event ? bytes : Buffer.from(JSON.stringify(sent));
    }
    default:
      return bytes;
  }
}

type Told = Readonly<Record<string, unknown>>;

/** What an event says, as the search for words knows it. */
function wordsOf(event: Told): Buffer {
  const { item, session, response } = event as Record<string, Partial<Record<string, unknown>> | undefined>;
  const messages = [item, ...[session, response].flatMap((own) => [own?.instructions, own?.input, own?.prompt])];
  return Buffer.from(JSON.stringify({ messages, tools: [session?.tools, response?.tools] }));
}

/** The caller's model goes by the upstream's name; another one would be sold at this one's price. Throws RelayFault. */
function withOwnModel(agreed: Agreed, event: Told): Told {
  const named = realtime.modelNamed(event);
  return named === undefined ? event : realtime.withModel(event, nameSent(agreed, named));
}

/** The same of the model that writes down. Beside a model that answers it is another one, with a name and a price of its own. */
function withOwnTranscriber(agreed: Agreed, event: Told): Told {
  const named = realtime.transcriberNamed(event);
  if (typeof named !== 'string') return event;
  if (agreed.onlyWrites) return realtime.withTranscriber(event, nameSent(agreed, named));
  const sent = upstreamModel(agreed.connected.target.channel.modelMapping, named);
  if (sent === undefined) throw localFault('model_mapped_error', { reason: 'model_mapping_contains_cycle' });
  agreed.turns.writesDown({ sent, asked: named });
  return sent === named ? event : realtime.withTranscriber(event, sent);
}

function nameSent({ call, connected }: Agreed, named: unknown): string {
  const { upstreamModel: sent } = connected.outgoing;
  if (named !== call.model && named !== sent) throw localFault('session_model_fixed', { model: call.model });
  return sent ?? call.model;
}
