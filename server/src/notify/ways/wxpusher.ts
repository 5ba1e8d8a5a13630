import type { SystemClient } from '../../platform/http/system-client.ts';
import type { Options } from '../../settings/index.ts';
import { plainText } from '../message.ts';
import { post } from './call.ts';
import type { Way } from './way.ts';

const address = 'https://wxpusher.zjiecode.com/api/send/message';
const maxBytes = 10_000;
const maxSummary = 20;
const plain = 1;

type WxPusherOptions = Pick<Options, 'WxPusherEnabled' | 'WxPusherAppToken'>;

export function isWxPusherOn({ WxPusherEnabled, WxPusherAppToken }: WxPusherOptions): boolean {
  return WxPusherEnabled && WxPusherAppToken !== '';
}

/** Messages to WeChat through a public service; who scanned a code is known to it by a number (contract 9.5). */
export function createWxPusherWay({ http, options }: { http: SystemClient; options(): WxPusherOptions }): Way {
  return {
    reaches: ({ preferences }) => isWxPusherOn(options()) && preferences.wxpusher_uid !== undefined,
    async send({ message }, { preferences }) {
      const body = {
        appToken: options().WxPusherAppToken,
        content: plainText(message, maxBytes),
        summary: [...message.title.zh].slice(0, maxSummary).join(''),
        contentType: plain,
        uids: [preferences.wxpusher_uid],
        ...(message.link === '' ? {} : { url: message.link }),
      };
      await post(http, new URL(address), body, { field: 'code', ok: 1000, passing: [1005] });
    },
  };
}
