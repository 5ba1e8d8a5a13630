import { createHash } from 'node:crypto';
import { parseObject } from '@tollgate/wire';
import { sameText, sha256 } from '../../platform/crypto.ts';
import type { SystemClient } from '../../platform/http/system-client.ts';
import type { Options } from '../../settings/index.ts';
import { parseMoney } from '../topup-money.ts';
import { type AskFault, askedKind, type Judgement, type Notice, type PaymentProvider, type Saying } from './provider.ts';

type EpayOptions = Pick<Options, 'PayAddress' | 'EpayId' | 'EpayKey'>;

export const epayName = 'epay';
const required = ['pid', 'trade_no', 'out_trade_no', 'type', 'money', 'trade_status', 'sign', 'sign_type'];
/** What some services of the protocol add, signed like the rest: the number at Alipay or WeChat, who paid, and when. */
const added = ['api_trade_no', 'buyer', 'addtime', 'endtime', 'timestamp'];
const allowed = new Set([...required, 'name', 'param', ...added]);
const shown = ['pid', 'trade_no', 'out_trade_no', 'type', 'name', 'money', 'trade_status', 'sign_type'];
const maxShownLength = 128;
const maxNumberLength = 255;
const maxNoticeBytes = 8_192;
const askTimeoutMs = 10_000;

/** md5 over the non-empty fields but `sign` and `sign_type`, sorted by name, with the key behind (contract 8.2). */
function epaySign(fields: Readonly<Record<string, string>>, key: string): string {
  const text = Object.keys(fields)
    .filter((name) => name !== 'sign' && name !== 'sign_type' && fields[name] !== '')
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('&');
  return createHash('md5')
    .update(text + key, 'utf8')
    .digest('hex');
}

export function isEpayReady({ PayAddress, EpayId, EpayKey }: EpayOptions): boolean {
  return PayAddress !== '' && EpayId !== '' && EpayKey.trim() !== '';
}

/** The judge of Epay notifications, in the order of R-58; orders are looked at by whoever asks it. */
export function createEpay(options: () => EpayOptions): PaymentProvider {
  return {
    name: epayName,
    maxNoticeBytes,
    isConfigured: () => isEpayReady(options()),
    judge: (notice) => (notice.asked === true ? judgeAnswer(notice, options()) : judge(notice, options())),
    ask: (http, { tradeNo }) => ask(http, options(), tradeNo),
  };
}

function judge({ raw }: Notice, options: EpayOptions): Judgement {
  const pairs = [...new URLSearchParams(raw)];
  const fields = Object.fromEntries(pairs);
  const summary = Object.fromEntries(
    shown.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name].slice(0, maxShownLength)]])),
  );
  const sorted = pairs.map(([name, value]) => JSON.stringify([name, value])).sort();
  const kind = (fields.trade_status ?? '').slice(0, 64);
  return { saying: say(pairs, fields, options), kind, digest: sha256(sorted.join('\n')), summary };
}

function say(
  pairs: readonly (readonly [string, string])[],
  fields: Readonly<Record<string, string>>,
  { EpayId, EpayKey }: EpayOptions,
): Saying {
  const refused = (verdict: 'malformed' | 'wrong_merchant' | 'bad_signature', detail: string): Saying => ({
    says: 'refused',
    verdict,
    detail,
  });
  const names = pairs.map(([name]) => name);
  if (new Set(names).size < names.length) return refused('malformed', 'a parameter stands twice');
  if (names.some((name) => !allowed.has(name))) return refused('malformed', 'an unknown parameter');
  if (pairs.some(([, value]) => /\p{Cc}/u.test(value))) return refused('malformed', 'a control character');
  const missing = required.find((name) => (fields[name] ?? '') === '');
  if (missing !== undefined) return refused('malformed', `${missing} is missing`);
  const { pid = '', sign = '', sign_type: signType, trade_status: status, money = '' } = fields;
  if (!sameText(pid, EpayId)) return refused('wrong_merchant', 'another merchant');
  if (signType !== 'MD5') return refused('bad_signature', 'another kind of signature');
  if (!sameText(sign, epaySign(fields, EpayKey))) return refused('bad_signature', 'the signature is not ours');
  if (status !== 'TRADE_SUCCESS') return { says: 'nothing', detail: `trade_status ${status?.slice(0, 64)}` };
  const cents = parseMoney(money);
  if (cents === undefined) return refused('malformed', 'money is not an amount');
  const { out_trade_no: tradeNo = '', trade_no: number = '', type: method = '' } = fields;
  const providerRef = number.slice(0, maxNumberLength).toWellFormed();
  return { says: 'paid', tradeNo, method, cents, currency: 'cny', providerRef };
}

/** `act=order` of the protocol. Its answer carries no signature, so that only TLS proves whose it is; the key goes with the question. */
async function ask(
  http: SystemClient,
  { PayAddress, EpayId, EpayKey }: EpayOptions,
  tradeNo: string,
): Promise<{ raw: string } | { fault: AskFault }> {
  if (!PayAddress.startsWith('https://')) return { fault: 'insecure' };
  const query = new URLSearchParams({ act: 'order', pid: EpayId, key: EpayKey, out_trade_no: tradeNo });
  try {
    const url = `${PayAddress}/api.php?${query}`;
    const { status, text } = await http.request({ url, timeoutMs: askTimeoutMs, maxBytes: maxNoticeBytes });
    if (status === 429 || status >= 500) return { fault: 'unreachable' };
    const answer = status === 200 ? parseObject(text) : undefined;
    return textOf(answer?.code) === '1' ? { raw: text } : { fault: 'unknown' };
  } catch {
    return { fault: 'unreachable' };
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, maxNumberLength) : '';

/** What a gateway answered about an order: the fields of a notification, unsigned; numbers come as such or as text. */
function judgeAnswer({ raw }: Notice, { EpayId }: EpayOptions): Judgement {
  const answer = parseObject(raw) ?? {};
  const names = ['pid', 'trade_no', 'out_trade_no', 'type', 'name', 'money', 'status'];
  const fields: Readonly<Record<string, string>> = Object.fromEntries(names.map((name) => [name, textOf(answer[name])]));
  const summary = Object.fromEntries(names.map((name) => [name, (fields[name] ?? '').slice(0, maxShownLength)]));
  return { saying: sayAnswer(fields, EpayId), kind: askedKind, digest: sha256(JSON.stringify(['query', fields])), summary };
}

function sayAnswer(fields: Readonly<Record<string, string>>, merchant: string): Saying {
  const { pid = '', trade_no: providerRef = '', out_trade_no: tradeNo = '', type: method = '', money = '', status = '' } = fields;
  if (pid !== '' && !sameText(pid, merchant)) {
    return { says: 'refused', verdict: 'wrong_merchant', detail: 'another merchant' };
  }
  if (status !== '1') return { says: 'nothing', detail: `status ${status.slice(0, 64)}` };
  const cents = parseMoney(money);
  const isWhole = [providerRef, tradeNo, method].every((value) => value !== '' && !/\p{Cc}/u.test(value));
  if (!isWhole || cents === undefined) return { says: 'refused', verdict: 'malformed', detail: 'an answer without its fields' };
  return { says: 'paid', tradeNo, method, cents, currency: 'cny', providerRef: providerRef.toWellFormed() };
}

export interface EpayOrder {
  tradeNo: string;
  method: string;
  /** As entered. */
  amount: number;
  /** Two decimals. */
  money: string;
  notifyUrl: string;
  returnUrl: string;
}

/** What the browser posts, and where to. */
export function epayForm(options: EpayOptions, order: EpayOrder): { url: string; fields: Record<string, string> } {
  const fields: Record<string, string> = {
    pid: options.EpayId,
    type: order.method,
    out_trade_no: order.tradeNo,
    notify_url: order.notifyUrl,
    return_url: order.returnUrl,
    name: `TUC${order.amount}`,
    money: order.money,
    device: 'pc',
    sign_type: 'MD5',
  };
  fields.sign = epaySign(fields, options.EpayKey);
  return { url: `${options.PayAddress}/submit.php`, fields };
}
