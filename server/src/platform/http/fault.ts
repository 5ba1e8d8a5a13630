import { EgressRefused } from './guard.ts';
import { ResponseError } from './response-parser.ts';

/** What went wrong with an upstream, as far as blame and retry need to know. */
export type FaultKind = 'refused' | 'connect' | 'reset' | 'timeout' | 'protocol' | 'local';

export class UpstreamFault extends Error {
  readonly kind: FaultKind;
  /** What the guard refused and the environment could allow. */
  readonly privateAddress: string | undefined;
  constructor(kind: FaultKind, message: string, privateAddress?: string) {
    super(message);
    this.kind = kind;
    this.privateAddress = privateAddress;
  }
}

const kinds: Readonly<Record<string, FaultKind>> = {
  ECONNREFUSED: 'connect',
  ENOTFOUND: 'connect',
  EAI_AGAIN: 'local',
  EHOSTUNREACH: 'connect',
  // No way out of this machine at all.
  ENETUNREACH: 'local',
  EADDRNOTAVAIL: 'local',
  EMFILE: 'local',
  ENFILE: 'local',
  ENOBUFS: 'local',
  ENOMEM: 'local',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
};

/** Sorts an error of a socket, a name look-up, the guard or the parser. */
export function faultOf(error: unknown): UpstreamFault {
  if (error instanceof UpstreamFault) return error;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (error instanceof EgressRefused) return new UpstreamFault('refused', message, error.privateAddress);
  if (error instanceof ResponseError) return new UpstreamFault('protocol', message);
  // What the system says names its code mostly.
  return new UpstreamFault(kinds[code] ?? 'reset', message.includes(code) ? message : `${code} ${message}`.trim());
}
