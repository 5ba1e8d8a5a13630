import { parseObject } from '@tollgate/wire';
import { UpstreamFault } from '../../platform/http/client.ts';
import type { SystemAnswer, SystemClient, SystemRequest } from '../../platform/http/system-client.ts';
import { DeliveryFault } from './way.ts';

const faults: Partial<Record<UpstreamFault['kind'], string>> = { refused: 'refused', timeout: 'timeout' };

/** One request of a delivery. Throws DeliveryFault where there was no answer; nothing of a driver's text is in it. */
export async function ask(http: SystemClient, request: SystemRequest): Promise<SystemAnswer> {
  try {
    return await http.request(request);
  } catch (error) {
    const kind = error instanceof UpstreamFault ? error.kind : undefined;
    throw new DeliveryFault((kind === undefined ? undefined : faults[kind]) ?? 'unreachable', { isFinal: kind === 'refused' });
  }
}

/** A message to a service that answers 200 and says in its JSON how it went. Throws DeliveryFault. */
export async function post(
  http: SystemClient,
  url: URL,
  body: object,
  verdict: { readonly field: 'code' | 'errcode'; readonly ok: number; readonly passing: readonly number[] },
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { 'content-type': 'application/json' };
  const { status, text } = await ask(http, { url, method: 'POST', headers, body: JSON.stringify(body) });
  if (status !== 200) throw new DeliveryFault(`HTTP ${status}`);
  const answer = parseObject(text);
  const code = Number(answer?.[verdict.field] ?? Number.NaN);
  if (answer === undefined || Number.isNaN(code)) throw new DeliveryFault('unreadable');
  if (code !== verdict.ok) throw new DeliveryFault(`${verdict.field} ${code}`, { isFinal: !verdict.passing.includes(code) });
  return answer;
}
