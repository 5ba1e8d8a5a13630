import { createHash } from 'node:crypto';
import { startWeb, type Web } from './web.ts';

/** What the browser posted to open a payment. */
export type EpayForm = Readonly<Record<string, string>>;

/** How one notification differs from an honest one. */
export interface Lie {
  /** Replaces or adds parameters before signing. */
  fields?: Record<string, string>;
  /** Signs with another key; "" = with none. */
  key?: string;
  /** Replaces parameters after signing. */
  after?: Record<string, string>;
  /** Names of parameters that are left out after signing. */
  without?: readonly string[];
  /** Appended to the query as it is. */
  tail?: string;
  /** Reverses the order of the parameters. */
  reversed?: boolean;
  method?: 'GET' | 'POST';
}

export interface Epay extends Web {
  /** Everything that was opened, oldest first; only forms whose signature is right. */
  opened: EpayForm[];
  /** The payer pays: from now on the gateway says so when it is asked; whoever was to be told is not. */
  pay(order: EpayForm): void;
  /** Tells the merchant that an order was paid, and answers what the merchant said. */
  notify(order: EpayForm, lie?: Lie): Promise<{ status: number; text: string }>;
}

/** The signature of the protocol: md5 over the sorted non-empty fields with the key behind. */
export function signEpay(fields: Readonly<Record<string, string>>, key: string): string {
  const signed = Object.entries(fields)
    .filter(([name, value]) => name !== 'sign' && name !== 'sign_type' && value !== '')
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
  return createHash('md5')
    .update(`${signed.join('&')}${key}`)
    .digest('hex');
}

/** The parameters of a notification for an order, with whatever `lie` says. */
export function epayNotice(order: EpayForm, key: string, lie: Lie = {}): string {
  const fields: Record<string, string> = {
    pid: order.pid ?? '',
    trade_no: `T${order.out_trade_no}`,
    out_trade_no: order.out_trade_no ?? '',
    type: order.type ?? '',
    name: order.name ?? '',
    money: order.money ?? '',
    trade_status: 'TRADE_SUCCESS',
    ...lie.fields,
  };
  const sent: Record<string, string> = { ...fields, sign: signEpay(fields, lie.key ?? key), sign_type: 'MD5', ...lie.after };
  const pairs = Object.entries(sent).filter(([name]) => !lie.without?.includes(name));
  if (lie.reversed) pairs.reverse();
  return `${new URLSearchParams(pairs)}${lie.tail ?? ''}`;
}

/** What the gateway answers to `act=order`: numbers as numbers, the money as text, an order nobody submitted is unknown. */
function orderAnswer(query: URLSearchParams, pid: string, key: string, opened: readonly EpayForm[], paid: ReadonlySet<string>) {
  if (query.get('pid') !== pid || query.get('key') !== key) return { code: -3, msg: '商户密钥错误' };
  const number = query.get('out_trade_no') ?? '';
  const form = opened.find(({ out_trade_no }) => out_trade_no === number);
  if (form === undefined) return { code: -1, msg: '订单号不存在' };
  const { type, name, money } = form;
  const known = { trade_no: `T${number}`, out_trade_no: number, api_trade_no: '', type, pid: Number(pid), name, money };
  const times = { addtime: '2026-11-01 10:00:00', endtime: paid.has(number) ? '2026-11-01 10:01:00' : null };
  return { code: 1, msg: 'succ', ...known, ...times, status: paid.has(number) ? 1 : 0, param: '', buyer: '' };
}

/**
 * Stands in for a payment gateway of the Epay kind: a page that takes the form, answers about its orders, and notifications that
 * people may bend.
 */
export async function startEpay(pid: string, key: string): Promise<Epay> {
  const opened: EpayForm[] = [];
  const paid = new Set<string>();
  const web = await startWeb(({ path, body, method, query }) => {
    if (path === '/api.php' && query.get('act') === 'order') return { body: orderAnswer(query, pid, key, opened, paid) };
    if (path !== '/submit.php' || method !== 'POST') return { status: 404 };
    const form = Object.fromEntries(new URLSearchParams(body));
    if (form.pid !== pid || form.sign !== signEpay(form, key)) return { status: 400, body: 'sign error' };
    opened.push(form);
    return { headers: { 'content-type': 'text/html' }, body: `<title>Pay</title><p>${form.money}</p>` };
  });
  return {
    ...web,
    opened,
    pay: (order) => void paid.add(order.out_trade_no ?? ''),
    async notify(order, lie = {}) {
      const notice = epayNotice(order, key, lie);
      const url = order.notify_url ?? '';
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer =
        lie.method === 'POST'
          ? await fetch(url, { method: 'POST', headers: form, body: notice })
          : await fetch(`${url}?${notice}`);
      return { status: answer.status, text: await answer.text() };
    },
  };
}
