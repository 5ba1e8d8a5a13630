import type { InboxVerdict } from '@tollgate/contract';

/** A notification as it arrived. */
export interface Notice {
  /** The form's or the query's parameters, or the raw body. */
  raw: string;
  /** The header that proves a raw body; "" where parameters carry their own. */
  signature: string;
  /** Unix milliseconds. */
  receivedMs: number;
}

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
    }
  | { says: 'refund'; providerRef: string; cents: number; currency: string; eventId: string }
  | { says: 'closed'; tradeNo: string; state: 'expired' | 'failed' }
  | { says: 'nothing'; detail: string };

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
}
