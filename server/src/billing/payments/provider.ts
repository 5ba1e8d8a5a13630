import type { InboxVerdict } from '@tollgate/contract';
import type { SystemClient } from '../../platform/http/system-client.ts';

/** A notification as it arrived. */
export interface Notice {
  /** The form's or the query's parameters, or the raw body. */
  raw: string;
  /** The header that proves a raw body; "" where parameters carry their own. */
  signature: string;
  /** Unix milliseconds. */
  receivedMs: number;
  /** The service's answer to a question of ours: nothing in it is signed, and whoever asked has proven where it comes from. */
  asked?: boolean;
}

/** An order of which its service is asked whether it was paid. */
export interface AskedOrder {
  tradeNo: string;
  /** The service's number of its payment page; "" = it has none, or it was opened before these were kept. */
  pageRef: string;
}

/**
 * Why there is no answer to be judged: out of reach, busy or failing; it does not know the order or does not know us; the
 * connection would prove nothing; there is no number to ask by.
 */
export type AskFault = 'unreachable' | 'unknown' | 'insecure' | 'unnumbered';

/** What a notification says once its origin is proven, or why it is not believed. */
export type Saying =
  | { says: 'refused'; verdict: InboxVerdict; detail: string }
  | {
      says: 'paid';
      tradeNo: string;
      /** "" = the service has one method only. */
      method: string;
      cents: number;
      currency: string;
      /** The service's own number of the payment, up to 255 characters, never "". */
      providerRef: string;
      /** What was given back of it since; absent: nothing, or not told. */
      refunded?: { cents: number; currency: string };
    }
  | {
      says: 'refund';
      providerRef: string;
      /** What was given back in all so far; of a dispute, what was withdrawn for it alone. */
      cents: number;
      currency: string;
      eventId: string;
      isDispute?: true;
    }
  | { says: 'closed'; tradeNo: string; state: 'expired' | 'failed' }
  | { says: 'nothing'; detail: string };

/** The kind of a service's event that the payer's bank took money back, perhaps for good. */
export const disputeKind = 'charge.dispute.funds_withdrawn';

/** The kind of what a service answered to a question of ours. */
export const askedKind = 'query';

export interface Judgement {
  saying: Saying;
  /** What kind of event it claims to be. */
  kind: string;
  /** Names the event: the same again is the same row of the inbox. */
  digest: string;
  /** Safe to show. */
  summary: Readonly<Record<string, string | number>>;
}

export interface PaymentProvider {
  name: string;
  /** Fully set up: without it nothing that arrives is even read. */
  isConfigured(): boolean;
  maxNoticeBytes: number;
  judge(notice: Notice): Judgement | Promise<Judgement>;
  /** Asks what became of an order: the answer, to be judged as a notice that was `asked`. */
  ask(http: SystemClient, order: AskedOrder): Promise<{ raw: string } | { fault: AskFault }>;
}
