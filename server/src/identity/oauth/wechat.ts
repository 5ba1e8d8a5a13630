import { parseObject } from '@tollgate/wire';
import { PublicError } from '../../platform/errors.ts';
import type { DoorDeps } from '../deps.ts';
import { maxExternalIdLength, type Profile, providers, reached, textField } from './profile.ts';

const maxAnswerBytes = 4_096;

/** Asks the operator's server whose code this is. Throws PublicError with the texts of contract 1.6. */
export async function wechatProfile({ http, options }: DoorDeps, code: string): Promise<Profile> {
  const { WeChatServerAddress, WeChatServerToken } = options();
  if (WeChatServerAddress === '') throw new PublicError('wechat_disabled');
  const url = `${WeChatServerAddress}/api/wechat/user?code=${encodeURIComponent(code)}`;
  const headers = { authorization: WeChatServerToken };
  const answer = await reached(http.request({ url, headers, maxBytes: maxAnswerBytes }), providers.wechat);
  const record = answer.status === 200 ? parseObject(answer.text) : undefined;
  const id = record?.success === true ? textField(record, 'data') : '';
  if (id === '' || id.length > maxExternalIdLength) throw new PublicError('verification_code_wrong');
  return { id, displayName: '' };
}
