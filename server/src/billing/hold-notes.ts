import { logType } from '@tollgate/contract/roles.ts';
import { sha256 } from '../platform/crypto.ts';
import { costOf } from './price.ts';
import { writeReceipt } from './receipts.ts';
import type { HoldNote, LogDraft, PriceSnapshot, Usage } from './types.ts';

/** What calls of one token, model and price have in common in the row that a sweep writes. */
export interface SharedNote {
  username: string;
  tokenName: string;
  model: string;
  group: string;
  isStream: boolean;
  content: string;
  other: string;
  hidden?: true | undefined;
  price: PriceSnapshot;
}

/** What is the call's own. */
export interface OwnNote {
  ip: string;
  /** The likely prompt, in tokens. */
  prompt: number;
  unitsNano?: number | undefined;
}

/** A shared text as it travels with a hold; `content` is "" when the database has it. */
export interface SentNote {
  id: string;
  content: string;
}

const idChars = 32;
const mostKnown = 10_000;
/** Known texts are sent again after this, long before they could be deleted for want of use. */
const trustSeconds = 12 * 3_600;

/** Remembers which shared texts the database has, so that each is written once and not with every call. */
export function createNoteBook() {
  const known = new Map<string, { id: string; storedAt: number }>();
  return {
    send({ shared }: HoldNote, now: number): SentNote {
      const one = known.get(shared);
      if (one === undefined) return { id: sha256(shared).slice(0, idChars), content: shared };
      return { id: one.id, content: now - one.storedAt < trustSeconds ? '' : shared };
    },
    /** The transaction that wrote it has been committed. */
    stored({ id, content }: SentNote, now: number): void {
      if (content === '') return;
      if (known.size >= mostKnown) known.clear();
      known.set(content, { id, storedAt: now });
    },
    /** Nobody knows what the database has: all is sent again. */
    forget: () => known.clear(),
  };
}

/** JSON in which every character is of one byte: one that is not would double the text on its way to the writer. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const nameless = { username: '', tokenName: '', model: '', group: '', isStream: false, content: '', other: '{}' };

/**
 * The row that a sweep books for a call whose process died: its likely prompt, unsigned. `sharedText` is "" where a fail-over
 * forgot what its ledger had stored: then the row has neither names nor a receipt, and what was held is closed all the same.
 */
export function draftOfNote(id: string, sharedText: string, ownText: string): LogDraft {
  const { ip, prompt, unitsNano } = JSON.parse(ownText) as OwnNote;
  const common = {
    type: logType.consume,
    ...{ userId: 0, tokenId: 0, channelId: 0, promptTokens: prompt, completionTokens: 0, useTime: 0 },
    ...{ requestId: id, ip },
  };
  if (sharedText === '') return { ...nameless, ...common, receipt: '' };
  const { price, hidden, ...shared } = JSON.parse(sharedText) as SharedNote;
  const usage: Usage = {
    ...{ prompt, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, source: 'estimated', anomaly: false },
    ...(unitsNano === undefined ? {} : { unitsNano }),
  };
  return {
    ...shared,
    ...(hidden === true ? { hidden } : {}),
    ...common,
    receipt: writeReceipt(id, price, usage, costOf(price, usage), () => ''),
  };
}
