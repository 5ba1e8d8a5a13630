import { createHmac } from 'node:crypto';
import { type Signer, SignFault } from '../sign.ts';

/** The parts of a key `APPID|APISecret|APIKey`; undefined when one is missing. */
export function xunfeiKey(key: string): { readonly appId: string; readonly secret: string; readonly apiKey: string } | undefined {
  const [appId, secret, apiKey] = key.split('|').map((part) => part.trim());
  return appId && secret && apiKey ? { appId, secret, apiKey } : undefined;
}

/** Signs the request line of a WebSocket's opening, in the query (HMAC-SHA256). */
export const xunfeiSigner: Signer = ({ url, channel }, { nowMs }) => {
  const key = xunfeiKey(channel.key);
  if (key === undefined) throw new SignFault('the key must be APPID|APISecret|APIKey', true);
  const date = new Date(nowMs).toUTCString();
  const origin = `host: ${url.host}\ndate: ${date}\nGET ${url.pathname} HTTP/1.1`;
  const signature = createHmac('sha256', key.secret).update(origin).digest('base64');
  const fields = `api_key="${key.apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  const signed = new URL(url);
  signed.searchParams.set('authorization', Buffer.from(fields).toString('base64'));
  signed.searchParams.set('date', date);
  signed.searchParams.set('host', url.host);
  return { url: signed };
};
