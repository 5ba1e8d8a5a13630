import {
  creditableVerdicts,
  finalVerdicts,
  type InboxEntry,
  type InboxVerdict,
  type OrderOutcome,
  type TopupOrder,
} from '@tollgate/contract';
import {
  payment_ask_closed,
  payment_ask_credited,
  payment_ask_repeat,
  payment_ask_unmatched,
  payment_ask_unpaid,
  payment_credited,
  payment_credited_hand,
  payment_credited_late,
  payment_error,
  payment_malformed,
  payment_noted,
  payment_refunded,
  payment_repeat,
  payment_signature,
  payment_unconfigured,
  payment_unmatched_method,
  payment_unmatched_money,
  payment_unmatched_order,
  payment_unmatched_refund,
  payment_wrong_merchant,
} from '../../i18n/generated/messages.ts';
import type { Tone } from '../../ui/Badge.tsx';

/** Word and colour of what became of a notice. */
export const verdictFaces: Record<InboxVerdict, { text(): string; tone: Tone }> = {
  credited: { text: payment_credited, tone: 'ok' },
  credited_late: { text: payment_credited_late, tone: 'ok' },
  credited_by_hand: { text: payment_credited_hand, tone: 'ok' },
  repeat: { text: payment_repeat, tone: 'grey' },
  noted: { text: payment_noted, tone: 'grey' },
  refunded: { text: payment_refunded, tone: 'grey' },
  unmatched_order: { text: payment_unmatched_order, tone: 'warn' },
  unmatched_money: { text: payment_unmatched_money, tone: 'warn' },
  unmatched_method: { text: payment_unmatched_method, tone: 'warn' },
  unmatched_refund: { text: payment_unmatched_refund, tone: 'warn' },
  unconfigured: { text: payment_unconfigured, tone: 'warn' },
  malformed: { text: payment_malformed, tone: 'bad' },
  wrong_merchant: { text: payment_wrong_merchant, tone: 'bad' },
  bad_signature: { text: payment_signature, tone: 'bad' },
  error: { text: payment_error, tone: 'bad' },
};

const isVerdict = (verdict: string): verdict is InboxVerdict => verdict in verdictFaces;

/** A newer server may know verdicts that this console does not. */
export const faceOf = (verdict: string): { text: string; tone: Tone } =>
  isVerdict(verdict) ? { text: verdictFaces[verdict].text(), tone: verdictFaces[verdict].tone } : { text: verdict, tone: 'grey' };

/** What had its effect is not judged again. */
export const mayReplay = ({ verdict }: InboxEntry): boolean => !finalVerdicts.includes(verdict);
/** Proven money that waits for somebody to say whose it is. */
export const mayCredit = ({ verdict }: InboxEntry): boolean => creditableVerdicts.includes(verdict);
/** A refund that waits for somebody to say what it was of its payment. */
export const isForeign = ({ verdict }: InboxEntry): boolean => verdict === 'unmatched_refund';

/** Only what was paid can be taken back. */
export const mayReverse = ({ status }: Pick<TopupOrder, 'status'>): boolean => status === 'paid' || status === 'paid_late';

/** What the payment service said of an order, and whether that is good news. */
export function answerText(outcome: OrderOutcome): { text: string; tone: 'ok' | 'warn' } {
  switch (outcome) {
    case 'credited':
    case 'credited_late':
      return { text: payment_ask_credited(), tone: 'ok' };
    case 'repeat':
    case 'credited_by_hand':
      return { text: payment_ask_repeat(), tone: 'ok' };
    case 'unpaid':
      return { text: payment_ask_unpaid(), tone: 'warn' };
    case 'closed':
      return { text: payment_ask_closed(), tone: 'warn' };
    default:
      return { text: payment_ask_unmatched({ result: faceOf(outcome).text }), tone: 'warn' };
  }
}

/** What a payment of this money should bring for its order, in proportion; undefined where the two cannot be compared. */
export function shareOf(entry: Pick<InboxEntry, 'money' | 'currency'>, order: TopupOrder): number | undefined {
  const [paid, asked] = [centsOf(entry.money), centsOf(order.money)];
  if (paid === undefined || !asked || entry.currency !== order.currency) return undefined;
  return Number((BigInt(order.quota) * BigInt(paid)) / BigInt(asked));
}

function centsOf(money: string): number | undefined {
  return /^\d{1,13}\.\d\d$/.test(money) ? Number(money.replace('.', '')) : undefined;
}
