import { createHmac } from 'node:crypto';
import type { Crypto } from '../../platform/crypto.ts';
import type { SystemClient } from '../../platform/http/system-client.ts';
import { UserFetchRefused, vettedAddress, type Worker, workerOrder } from '../../platform/http/user-address.ts';
import { openSecret } from '../preferences.ts';
import { ask } from './call.ts';
import { DeliveryFault, type Parcel, type Way } from './way.ts';

interface Parts {
  readonly crypto: Crypto;
  /** Reaches public addresses only; follows nothing. */
  readonly outside: SystemClient;
  /** Reaches the worker. */
  readonly http: SystemClient;
  readonly worker: () => Worker | undefined;
}

/** A signed POST to an address that the user named (contract 8.8). */
export function createWebhookWay({ crypto, outside, http, worker }: Parts): Way {
  return {
    reaches: ({ preferences }) => preferences.webhook_url !== undefined,
    async send(parcel, { userId, preferences }) {
      const secret = openSecret(preferences, 'webhook_secret', { crypto, userId });
      const body = bodyOf(parcel);
      const headers: Record<string, string> = {
        'content-type': 'application/json',
        'x-webhook-id': parcel.id,
        ...(secret === '' ? {} : { 'x-webhook-signature': createHmac('sha256', secret).update(body).digest('hex') }),
      };
      const through = worker();
      try {
        const url = vettedAddress(preferences.webhook_url ?? '');
        if (through === undefined) return accepted(await ask(outside, { url, method: 'POST', headers, body }));
        const authorization: Record<string, string> = secret === '' ? {} : { authorization: `Bearer ${secret}` };
        const order = workerOrder(through, { url, method: 'POST', headers: { ...headers, ...authorization }, body });
        const request = { ...order, method: 'POST', headers: { 'content-type': 'application/json' } } as const;
        return accepted(await ask(http, request));
      } catch (error) {
        throw error instanceof UserFetchRefused ? new DeliveryFault('refused', { isFinal: true }) : error;
      }
    },
  };
}

/** `content` and `values` as the contract has them; the other language beside them. */
function bodyOf({ message: { type, title, content, values, link }, createdAt }: Parcel): string {
  const members = { type, title: title.zh, content: content.zh, values, timestamp: createdAt, link };
  return JSON.stringify({ ...members, en: { title: title.en, content: content.en } });
}

/** A redirect is not followed: where it leads was not named by the user. */
function accepted({ status }: { status: number }): void {
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400) throw new DeliveryFault('redirect', { isFinal: true });
  throw new DeliveryFault(`HTTP ${status}`, { isFinal: status === 404 || status === 410 });
}
