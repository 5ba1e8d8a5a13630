import { familyRefusals } from '@tollgate/wire';
import type { ServedRequest } from '../platform/http/served.ts';
import { apart } from '../platform/http/shared-reads.ts';
import type { BodyPlace } from './body-budget.ts';
import { refuseWhenBusy, refuseWithoutSpace } from './busy.ts';
import type { Endpoint } from './endpoints.ts';
import { families } from './families/index.ts';
import { localFault } from './faults.ts';
import { readBody } from './inbound.ts';
import { headerOf, type Inquiry } from './inquiry.ts';
import type { RelayParts } from './parts.ts';
import { refuseMisspelt } from './priced-names.ts';
import { surfaceOf } from './surface.ts';
import { readUpload } from './upload.ts';

const megabyte = 1024 * 1024;

/** What is asked, once its body is there: at once for what has come and is no upload. Throws or rejects with RelayFault. */
export function readInquiry(
  parts: RelayParts,
  request: ServedRequest,
  { query, body: place }: { readonly query: URLSearchParams | undefined; readonly body: BodyPlace },
  endpoint: Extract<Endpoint, { kind: 'relay' }>,
): Inquiry | Promise<Inquiry> {
  const surface = surfaceOf(endpoint.protocol);
  if (endpoint.protocol === 'realtime') throw localFault('websocket_required');
  if (surface === undefined) throw localFault('api_not_implemented');
  refuseWhenBusy(parts);
  refuseWithoutSpace(parts);
  const header = headerOf(request);
  const { protocol, model, stream } = endpoint;
  const peeked = (bytes: Buffer, upload?: Inquiry['upload']): Inquiry => {
    // Of a form that was packed all is there that it unpacked to, not the few fields that are looked at.
    parts.bodies.came(place, (upload?.raw ?? bytes).length);
    const result = surface.peekRequest(bytes, { model, stream });
    if (!result.ok) throw localFault(result.code, { reason: result.reason });
    const { peek } = result;
    refuseMisspelt(peek.scan.members.map(({ key }) => key));
    // A stream lasts, and its question with it; another copy for each call would cost more than it keeps.
    return { protocol, surface, bytes: peek.stream ? apart(bytes) : bytes, peek, query, header, upload };
  };
  const isUpload = families.get(protocol)?.isUpload === true;
  const maxBytes = (isUpload ? parts.env.MAX_UPLOAD_MB : parts.env.MAX_BODY_MB) * megabyte;
  const body = readBody(request, maxBytes, { bodies: parts.bodies, place });
  if (!isUpload) return body instanceof Promise ? body.then((bytes) => peeked(bytes)) : peeked(body);
  return (async () => {
    const upload = await readUpload(await body, header('content-type') ?? '', familyRefusals.get(protocol));
    return peeked(Buffer.from(JSON.stringify(upload.fields)), upload);
  })();
}
