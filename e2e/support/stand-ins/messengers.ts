import { createHmac } from 'node:crypto';
import { type Received, type Reply, startWeb, type Web } from './web.ts';

export interface Messengers extends Web {
  /** For EGRESS_REWRITE. */
  rewrite: string[];
  /** What arrived and was accepted, as text, oldest first. */
  accepted: { service: 'wecom' | 'dingtalk' | 'wxpusher'; text: string; to: string }[];
  /** Codes that were made: code -> nonce. */
  codes: Map<string, string>;
  /** Somebody scans a code. */
  scan(code: string, uid: string): void;
  /** Replaces every answer. */
  override: { reply: Reply | undefined };
}

interface Accounts {
  wecomKey: string;
  dingtalkKey: string;
  dingtalkSecret: string;
  appToken: string;
  /** What the time of a signature is compared with. */
  nowMs?: () => number;
}

const hourMs = 3_600_000;

/** Stands in for the two chat robots and the service that pushes to WeChat, each as strict as the real one. */
export async function startMessengers(accounts: Accounts): Promise<Messengers> {
  const accepted: Messengers['accepted'] = [];
  const codes = new Map<string, string>();
  const scans = new Map<string, string>();
  const override: Messengers['override'] = { reply: undefined };
  const parts = { accounts, accepted, codes, scans };
  const web = await startWeb((request) => override.reply ?? services[request.path]?.(parts, request) ?? { status: 404 });
  const hosts = ['qyapi.weixin.qq.com', 'oapi.dingtalk.com', 'wxpusher.zjiecode.com'];
  return {
    ...web,
    ...{ accepted, codes, override },
    rewrite: hosts.map((host) => `${host}=${web.origin}`),
    scan: (code, uid) => void scans.set(code, uid),
  };
}

interface Parts {
  accounts: Accounts;
  accepted: Messengers['accepted'];
  codes: Map<string, string>;
  scans: Map<string, string>;
}

const services: Record<string, (parts: Parts, request: Received) => Reply> = {
  '/cgi-bin/webhook/send': ({ accounts, accepted }, { query, body }) => {
    if (query.get('key') !== accounts.wecomKey) return { body: { errcode: 93_000, errmsg: 'invalid webhook url' } };
    const message = JSON.parse(body);
    if (Buffer.byteLength(message.text.content) > 2048) return { body: { errcode: 40_058, errmsg: 'too long' } };
    accepted.push({ service: 'wecom', text: message.text.content, to: accounts.wecomKey });
    return { body: { errcode: 0, errmsg: 'ok' } };
  },
  '/robot/send': ({ accounts, accepted }, { query, body }) => {
    if (query.get('access_token') !== accounts.dingtalkKey) return { body: { errcode: 300_001, errmsg: 'token is not exist' } };
    const timestamp = query.get('timestamp') ?? '';
    const { dingtalkSecret: secret, nowMs = Date.now } = accounts;
    const expected = createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64');
    const isFresh = Math.abs(nowMs() - Number(timestamp)) < hourMs;
    if (!isFresh || query.get('sign') !== expected) return { body: { errcode: 310_000, errmsg: 'sign not match' } };
    accepted.push({ service: 'dingtalk', text: JSON.parse(body).text.content, to: accounts.dingtalkKey });
    return { body: { errcode: 0, errmsg: 'ok' } };
  },
  '/api/send/message': ({ accounts, accepted }, { body }) => {
    const { appToken, content, summary, uids } = JSON.parse(body);
    if (appToken !== accounts.appToken) return { body: { code: 1001, msg: 'wrong token', success: false } };
    if ([...summary].length > 20) return { body: { code: 1002, msg: 'summary', success: false } };
    for (const uid of uids) accepted.push({ service: 'wxpusher', text: content, to: uid });
    return { body: { code: 1000, success: true, data: [] } };
  },
  '/api/fun/create/qrcode': ({ accounts, codes }, { body }) => {
    const { appToken, extra, validTime } = JSON.parse(body);
    if (appToken !== accounts.appToken || extra.length > 64) return { body: { code: 1001, success: false } };
    const code = `code-${codes.size + 1}`;
    codes.set(code, extra);
    const url = `https://wxpusher.example.org/${code}.jpg`;
    return { body: { code: 1000, success: true, data: { code, url, shortUrl: url, expires: validTime } } };
  },
  '/api/fun/scan-qrcode-uid': ({ scans }, { query }) => {
    const uid = scans.get(query.get('code') ?? '');
    return { body: uid === undefined ? { code: 1001, success: false } : { code: 1000, success: true, data: uid } };
  },
};

/** A receiver of webhooks that accepts only what its secret signed, and each id once. */
export async function startHookReceiver(secret: string) {
  const messages: { id: string; body: Record<string, unknown> }[] = [];
  const refused: string[] = [];
  const override: { reply: Reply | undefined } = { reply: undefined };
  const web = await startWeb(({ body, headers }) => {
    if (override.reply !== undefined) return override.reply;
    const expected = createHmac('sha256', secret).update(body).digest('hex');
    if (headers['x-webhook-signature'] !== expected) {
      refused.push(body);
      return { status: 401 };
    }
    const id = String(headers['x-webhook-id']);
    if (!messages.some((known) => known.id === id)) messages.push({ id, body: JSON.parse(body) });
    return { status: 204 };
  });
  return { ...web, messages, refused, override };
}
