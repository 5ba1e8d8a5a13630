import type { LogDraft, SettleResult } from './types.ts';
import type { BatchInput, Deferred, Keeper, Operation, OperationOf, OperationResult } from './works-types.ts';

/**
 * A batch as it travels to the writer's thread: holds and settles, which are nearly all there is, as numbers and texts.
 * As records the names of their members would be copied, and read anew, with every one of them.
 */
export interface PackedBatch {
  locks: BatchInput['locks'];
  /** Each operation's code, then its members; texts by their place. */
  numbers: number[];
  texts: string[];
  /** Operations of all other kinds, in their order. */
  others: Operation[];
}

const code = { other: 0, hold: 1, settle: 2 } as const;

class Packer {
  readonly numbers: number[] = [];
  readonly texts: string[] = [];
  readonly #places = new Map<string, number>();

  /** A text that no other operation has. */
  own(text: string): number {
    return this.texts.push(text) - 1;
  }

  /** One that many have: it travels once. */
  shared(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    const place = this.own(text);
    this.#places.set(text, place);
    return place;
  }
}

class Unpacker {
  readonly #packed: PackedBatch;
  #at = 0;
  #other = 0;

  constructor(packed: PackedBatch) {
    this.#packed = packed;
  }

  get isOver(): boolean {
    return this.#at >= this.#packed.numbers.length;
  }

  number(): number {
    return this.#packed.numbers[this.#at++] ?? Number.NaN;
  }

  text(): string {
    const text = this.#packed.texts[this.number()];
    if (text === undefined) throw new Error('A packed batch lacks a text');
    return text;
  }

  other(): Operation {
    const operation = this.#packed.others[this.#other++];
    if (operation === undefined) throw new Error('A packed batch lacks an operation');
    return operation;
  }
}

export function packBatch({ operations, locks }: BatchInput): PackedBatch {
  const packer = new Packer();
  const others: Operation[] = [];
  for (const operation of operations) {
    if (operation.kind === 'hold') packHold(packer, operation);
    else if (operation.kind === 'settle') packSettle(packer, operation);
    else {
      packer.numbers.push(code.other);
      others.push(operation);
    }
  }
  return { locks, numbers: packer.numbers, texts: packer.texts, others };
}

export function unpackBatch(packed: PackedBatch): BatchInput {
  const unpacker = new Unpacker(packed);
  const operations: Operation[] = [];
  while (!unpacker.isOver) operations.push(unpack(unpacker));
  return { operations, locks: packed.locks };
}

function unpack(from: Unpacker): Operation {
  switch (from.number()) {
    case code.hold:
      return unpackHold(from);
    case code.settle:
      return unpackSettle(from);
    default:
      return from.other();
  }
}

function packHold(to: Packer, hold: OperationOf<'hold'>): void {
  to.numbers.push(
    code.hold,
    hold.userId,
    hold.tokenId,
    hold.amount,
    hold.floorCost,
    hold.now,
    hold.leaseUntil,
    to.own(hold.id),
    to.shared(hold.context),
    to.shared(hold.note.id),
    to.shared(hold.note.content),
    to.shared(hold.keeper),
    to.shared(hold.node),
  );
}

function unpackHold(from: Unpacker): OperationOf<'hold'> {
  return {
    kind: 'hold',
    userId: from.number(),
    tokenId: from.number(),
    amount: from.number(),
    floorCost: from.number(),
    now: from.number(),
    leaseUntil: from.number(),
    id: from.text(),
    context: from.text(),
    note: { id: from.text(), content: from.text() },
    keeper: from.text() as Keeper,
    node: from.text(),
  };
}

function packSettle(to: Packer, { id, userId, tokenId, cost, now, draft }: OperationOf<'settle'>): void {
  const place = to.own(id);
  to.numbers.push(
    code.settle,
    userId,
    tokenId,
    cost,
    now,
    place,
    draft.requestId === id ? place : to.own(draft.requestId),
    draft.type,
    draft.userId,
    draft.tokenId,
    draft.channelId,
    draft.promptTokens,
    draft.completionTokens,
    draft.useTime,
    draft.isStream ? 1 : 0,
    draft.hidden === true ? 1 : 0,
    to.shared(draft.username),
    to.shared(draft.tokenName),
    to.shared(draft.model),
    to.shared(draft.group),
    to.shared(draft.content),
    to.shared(draft.ip),
    to.own(draft.other),
    to.own(draft.receipt),
  );
}

function unpackSettle(from: Unpacker): OperationOf<'settle'> {
  const [userId, tokenId, cost, now] = [from.number(), from.number(), from.number(), from.number()];
  return { kind: 'settle', userId, tokenId, cost, now, id: from.text(), draft: unpackDraft(from) };
}

function unpackDraft(from: Unpacker): LogDraft {
  const requestId = from.text();
  const type = from.number();
  const userId = from.number();
  const tokenId = from.number();
  const channelId = from.number();
  const promptTokens = from.number();
  const completionTokens = from.number();
  const useTime = from.number();
  const isStream = from.number() === 1;
  const isHidden = from.number() === 1;
  const draft: LogDraft = {
    ...{ requestId, type, userId, tokenId, channelId, promptTokens, completionTokens, useTime, isStream },
    username: from.text(),
    tokenName: from.text(),
    model: from.text(),
    group: from.text(),
    content: from.text(),
    ip: from.text(),
    other: from.text(),
    receipt: from.text(),
  };
  if (isHidden) draft.hidden = true;
  return draft;
}

/** What nearly all operations come to is one number: `heldCode` for a hold that was made, for a settle what it collected. */
export type PackedResult = OperationResult | Deferred | number;

const heldCode = -1;
const held = { ok: true } as const;

export function packResult(result: OperationResult | Deferred): PackedResult {
  if (typeof result !== 'object') return result;
  if ('ok' in result) return result.ok ? heldCode : result;
  return result.closed && result.shortfall === 0 && result.correction === 0 ? result.collected : result;
}

export function unpackResult(result: PackedResult): OperationResult | Deferred {
  if (typeof result !== 'number') return result;
  if (result === heldCode) return held;
  return { closed: true, collected: result, shortfall: 0, correction: 0 } satisfies SettleResult;
}
