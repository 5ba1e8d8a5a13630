import { type chat, clientDialect, geminiGenerate, openaiChat, openaiResponses } from '@tollgate/wire';
import type { ErrorDialect } from './caller.ts';
import { families } from './families/index.ts';
import { RelayFault } from './faults.ts';
import { taskDialect } from './tasks/dialects.ts';

/** What is neither a chat of its own nor a family. */
const others: ReadonlyMap<string, chat.Surface> = new Map(
  [
    ...[geminiGenerate.embedSurface, geminiGenerate.batchEmbedSurface],
    ...[openaiResponses.compactionSurface, openaiResponses.decisionSurface],
  ].map((surface) => [surface.name, surface]),
);

/** The caller's side of a protocol; undefined = nobody speaks it here. */
export function surfaceOf(protocol: string): chat.Surface | undefined {
  return clientDialect(protocol) ?? families.get(protocol)?.surface ?? others.get(protocol);
}

/** How errors are told to callers of a protocol. Families without errors of their own use the common envelope. */
export function errorDialect(protocol: string): ErrorDialect {
  const known = errorDialects.get(protocol);
  if (known !== undefined) return known;
  const fresh = newErrorDialect(protocol);
  errorDialects.set(protocol, fresh);
  return fresh;
}

/** As many as there are protocols. */
const errorDialects = new Map<string, ErrorDialect>();

function newErrorDialect(protocol: string): ErrorDialect {
  const { errorBody, errorFrame, idHeader = 'x-request-id' } = surfaceOf(protocol) ?? openaiChat.dialect;
  const dialect: ErrorDialect = {
    idHeader,
    body: (fault, id) => errorBody(withRequestId(fault, id), fault.status),
    event: (fault, id) => errorFrame(withRequestId(fault, id), fault.status),
  };
  return taskDialect(protocol, dialect) ?? dialect;
}

/** The same for who reads English, as far as the words are ours. */
export function inEnglish({ idHeader, body, event }: ErrorDialect): ErrorDialect {
  const english = (fault: RelayFault) => new RelayFault({ ...fault, message: fault.english ?? fault.message });
  return { idHeader, body: (fault, id) => body(english(fault), id), event: (fault, id) => event(english(fault), id) };
}

function withRequestId({ message, type, param, code }: RelayFault, id: string) {
  return { message: `${message} (request id: ${id})`, type, param, code };
}
