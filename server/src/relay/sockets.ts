import type { Serve } from '../platform/http/served.ts';
import { isConversationPath } from './endpoints.ts';
import type { RelayParts } from './parts.ts';
import { createRealtime, type UpgradeHandler } from './realtime.ts';
import { createResponsesSocket } from './responses-socket.ts';

/** WebSockets by their path: sessions of realtime models, and conversations whose calls `relay` serves. */
export function createSockets(parts: RelayParts, relay: Serve): UpgradeHandler {
  const [realtime, responses] = [createRealtime(parts), createResponsesSocket(parts, relay)];
  return (request, socket, head) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    return (isConversationPath(path) ? responses : realtime)(request, socket, head);
  };
}
