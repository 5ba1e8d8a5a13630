import type { Crypto } from '../../platform/crypto.ts';
import type { SystemClient } from '../../platform/http/system-client.ts';
import { plainText } from '../message.ts';
import { openSecret } from '../preferences.ts';
import { post } from './call.ts';
import type { Way } from './way.ts';

const address = 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send';
const maxBytes = 2_048;
/** Busy, and more than 20 messages within a minute. */
const passing = [-1, 45_009];

/** The robot of a group chat. */
export function createWecomWay({ crypto, http }: { crypto: Crypto; http: SystemClient }): Way {
  return {
    reaches: ({ preferences }) => preferences.wecom_key !== undefined,
    async send({ message }, { userId, preferences }) {
      const url = new URL(address);
      url.searchParams.set('key', openSecret(preferences, 'wecom_key', { crypto, userId }));
      const body = { msgtype: 'text', text: { content: plainText(message, maxBytes) } };
      await post(http, url, body, { field: 'errcode', ok: 0, passing });
    },
  };
}
