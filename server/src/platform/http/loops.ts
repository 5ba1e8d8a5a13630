import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { errors, errorText } from '@tollgate/contract';
import type { Crypto } from '../crypto.ts';
import { refuseUpgrade } from './accept-socket.ts';
import type { Serve } from './served.ts';

const nameChars = 16;

/** What this installation is called in `Via` (RFC 9110, 7.6.3): the same on all of its nodes, and nothing that tells of it. */
export function ownName(crypto: Pick<Crypto, 'hmac'>): string {
  return crypto.hmac('loop', 'via').slice(0, nameChars);
}

const headers = { 'content-type': 'application/json' };

function body(): string {
  return JSON.stringify({
    error: { message: errorText('channel_loop'), type: 'new_api_error', param: '', code: 'channel_loop' },
  });
}

/**
 * Refuses what we sent ourselves: a channel that leads back here would call itself, hold upon hold, until a wallet or the
 * machine is used up.
 */
export function refuseLoops(serve: Serve, name: string): Serve {
  const { status } = errors.channel_loop;
  const told = body();
  return (request, answer) => {
    const { via } = request.headers;
    if (via?.includes(name) !== true) return serve(request, answer);
    request.leaveUnread();
    answer.whole(status, headers, told);
  };
}

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The same for sessions. */
export function refuseLoopedSessions(upgrade: Upgrade, name: string): Upgrade {
  return (request, socket, head) => {
    if (request.headers.via?.includes(name) !== true) return upgrade(request, socket, head);
    socket.on('error', () => undefined);
    refuseUpgrade(socket, errors.channel_loop.status, headers, body());
  };
}
