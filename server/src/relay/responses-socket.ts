import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { nowSeconds } from '../platform/clock.ts';
import { createSocketDoor } from '../platform/http/accept-socket.ts';
import type { Serve } from '../platform/http/served.ts';
import { requestId } from '../platform/ids.ts';
import { authenticate } from './authenticate.ts';
import { refuseWhenBusy } from './busy.ts';
import { mostConversations } from './call-limits.ts';
import { checkAddress } from './check-key.ts';
import { localFault } from './faults.ts';
import type { RelayParts } from './parts.ts';
import { knownFault, refuse, subprotocol, type UpgradeHandler } from './realtime.ts';
import { ResponsesSession } from './responses-session.ts';

/** Conversations over WebSockets whose messages are calls that `relay` serves. Who may open none reads why in HTTP. */
export function createResponsesSocket(parts: RelayParts, relay: Serve): UpgradeHandler {
  const door = createSocketDoor({ subprotocol });
  const serve = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const id = requestId(parts.clock);
    let leavePlace = (): void => undefined;
    try {
      const whose = await arrive(parts, request);
      leavePlace = await parts.limiter.converse(id, whose, mostConversations(parts.env)).catch(() => {
        // Agents go on by POST at this status, and ask again at any other.
        throw localFault('socket_not_offered');
      });
      const accepted = await door.accept(request, socket, head, { 'x-oneapi-request-id': id, 'x-request-id': id });
      if (accepted !== undefined) {
        const { url = '/', headers, socket: connection } = request;
        const opening = { id, userId: whose.userId, request: { url, headers: callHeaders(headers), socket: connection } };
        const session = new ResponsesSession(parts, relay, opening, accepted);
        parts.active.add(session);
        await session.over;
        parts.active.remove(session);
      }
    } catch (error) {
      refuse(parts, socket, knownFault(parts, error, id), id);
    }
    leavePlace();
  };
  return (request, socket, head) => {
    socket.on('error', () => undefined);
    void serve(request, socket, head);
  };
}

/** Rejects with RelayFault. */
async function arrive(parts: RelayParts, request: IncomingMessage): Promise<{ userId: number; tokenId: number }> {
  const { url = '/', headers } = request;
  const query = new URL(url, 'http://localhost').searchParams;
  const { key } = await authenticate(parts.keyring, headers, query, nowSeconds(parts.clock));
  checkAddress(key, parts.clientIp(request));
  refuseWhenBusy(parts);
  return { userId: key.user.id, tokenId: key.tokenId };
}

const ofConnection = ['connection', 'upgrade', 'content-encoding', 'content-length', 'transfer-encoding'];

/** What each call comes with: the opening's headers but for those of the connection. The key may stand in the sub-protocol. */
function callHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const own = Object.entries(headers).filter(
    ([name, value]) =>
      !ofConnection.includes(name) &&
      !/^sec-websocket-(?!protocol)/.test(name) &&
      !(name === 'openai-beta' && String(value).includes('websocket')),
  );
  return { ...Object.fromEntries(own), 'content-type': 'application/json' };
}
