import type { ErrorDialect } from '../caller.ts';
import type { RelayFault } from '../faults.ts';

/** What the drawing protocol calls: a request that is wrong, a gateway that is, too much of it. */
const drawingCodes = { request: 4, gateway: 5, busy: 30 } as const;

/** How the surfaces of background work tell errors (contract 6.6). Who has no key is told in the common envelope, as everywhere. */
export function taskDialect(surface: string, common: ErrorDialect): ErrorDialect | undefined {
  const body = bodies[surface];
  if (body === undefined) return undefined;
  const own: ErrorDialect['body'] = (fault, id) => (isCommon(fault) ? common.body(fault, id) : JSON.stringify(body(fault)));
  return { ...common, body: own };
}

/** Who may not call at all, and where nobody serves the model (contract 5.2, 5.4): told alike on every surface. */
export function isCommon({ code, type }: RelayFault): boolean {
  return code === '' && type === 'new_api_error';
}

/** Clients compare the words: the call's id stands in the headers alone. */
const bodies: Readonly<Record<string, (fault: RelayFault) => object>> = {
  drawing: (fault) => ({ description: fault.message, type: 'upstream_error', code: drawingCode(fault) }),
  music: ({ code, message }) => ({ code, message, data: null }),
};

const gatewayFaults: ReadonlySet<string> = new Set([
  'internal_error',
  'billing_unavailable',
  'do_request_failed',
  'upstream_timeout',
]);

function drawingCode({ status, code }: RelayFault): number {
  if (status === 429) return drawingCodes.busy;
  return status >= 500 || gatewayFaults.has(code) ? drawingCodes.gateway : drawingCodes.request;
}
