import { parseObject } from '@tollgate/wire';
import type { ServedRequest } from '../platform/http/served.ts';
import { mayUseGroup } from '../settings/index.ts';
import type { Authenticated } from './authenticate.ts';
import type { BodyPlace } from './body-budget.ts';
import { refuseWhenBusy, refuseWithoutSpace } from './busy.ts';
import { chooseRoutes } from './choose-routes.ts';
import { localFault, RelayFault } from './faults.ts';
import { readBody } from './inbound.ts';
import type { RelayParts } from './parts.ts';

const megabyte = 1024 * 1024;

/**
 * The console's own chat: a signed-in person without a key. From here on it is a chat like any other, charged to the
 * person alone (contract 6.3). Throws RelayFault or PublicError.
 */
export async function enterPlayground(
  parts: RelayParts,
  request: ServedRequest,
  place: BodyPlace,
): Promise<{ who: Authenticated; chat: ServedRequest }> {
  place.userId = (await parts.visitor(request)).user.id;
  refuseWhenBusy(parts);
  refuseWithoutSpace(parts);
  const { bodies, env } = parts;
  bodies.enter(place, request, env.MAX_BODY_MB * megabyte);
  const said = parseObject((await readBody(request, env.MAX_BODY_MB * megabyte, { bodies, place })).toString('utf8'));
  if (said === undefined) throw localFault('invalid_text_request', { reason: 'the body is no JSON object' });
  // A body may take minutes: a session that was ended meanwhile buys nothing with it.
  const visitor = await parts.visitor(request);
  const { group: named, ...body } = said;
  const group = typeof named === 'string' ? named : '';
  const { model } = body;
  if (typeof model !== 'string' || model === '') throw localFault('model_required');
  const snapshot = parts.snapshot();
  if (!mayUseGroup(snapshot.options, visitor.user.group, group)) throw localFault('group_not_allowed');
  const shown = group === '' ? visitor.user.group : group;
  const key = { ...visitor, group, tokenName: `playground-${shown}` };
  try {
    chooseRoutes(snapshot, key, model, undefined);
  } catch (error) {
    if (!(error instanceof RelayFault) || error.status !== 503) throw error;
    throw localFault('get_playground_channel_failed', { group: shown, model });
  }
  // What the form sends while nobody touched it.
  if (body.max_tokens === 0) delete body.max_tokens;
  const bytes = Buffer.from(JSON.stringify(body));
  const { cookie: _secret, 'content-encoding': _undone, ...headers } = request.headers;
  return { who: { key, pinnedChannel: undefined }, chat: { ...request, headers, body: () => Promise.resolve(bytes) } };
}
