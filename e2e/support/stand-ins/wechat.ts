import { type Reply, startWeb, type Web } from './web.ts';

export interface WeChatServer extends Web {
  rewrite: string[];
  /** The address for WeChatServerAddress. */
  address: string;
  /** Code -> id of who got it from the public account. */
  codes: Map<string, string>;
  /** Replaces every answer. */
  override: { reply: Reply | undefined };
}

const host = 'wechat.example.org';

/** Stands in for the operator's server that knows whose code is whose. */
export async function startWeChat(token: string): Promise<WeChatServer> {
  const codes = new Map<string, string>();
  const override: WeChatServer['override'] = { reply: undefined };
  const web = await startWeb(({ path, query, headers }): Reply => {
    if (override.reply !== undefined) return override.reply;
    if (path !== '/api/wechat/user' || headers.authorization !== token) return { status: 401, body: { success: false } };
    const code = query.get('code') ?? '';
    const id = codes.get(code) ?? '';
    codes.delete(code);
    return { body: { success: id !== '', message: id === '' ? '验证码错误或已过期' : '', data: id } };
  });
  return { ...web, codes, override, address: `https://${host}`, rewrite: [`${host}=${web.origin}`] };
}
