import { createHmac } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Crypto } from '../../platform/crypto.ts';
import type { SystemClient } from '../../platform/http/system-client.ts';
import { plainText } from '../message.ts';
import { openSecret } from '../preferences.ts';
import { post } from './call.ts';
import type { Way } from './way.ts';

const address = 'https://oapi.dingtalk.com/robot/send';
const maxBytes = 18_000;
/** Busy, and more than 20 messages within a minute. */
const passing = [-1, 130_101, 410_100];

/** The robot of a group chat; with a secret each message carries the time and its signature. */
export function createDingtalkWay({ clock, crypto, http }: { clock: Clock; crypto: Crypto; http: SystemClient }): Way {
  return {
    reaches: ({ preferences }) => preferences.dingtalk_key !== undefined,
    async send({ message }, { userId, preferences }) {
      const url = new URL(address);
      url.searchParams.set('access_token', openSecret(preferences, 'dingtalk_key', { crypto, userId }));
      const secret = openSecret(preferences, 'dingtalk_secret', { crypto, userId });
      if (secret !== '') {
        const timestamp = String(clock.nowMs());
        url.searchParams.set('timestamp', timestamp);
        url.searchParams.set('sign', createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64'));
      }
      const body = { msgtype: 'text', text: { content: plainText(message, maxBytes) } };
      await post(http, url, body, { field: 'errcode', ok: 0, passing });
    },
  };
}
