import { tokenStatus } from '@tollgate/contract/roles.ts';
import { draftOfNote } from './hold-notes.ts';
import type { HoldOwner, HoldResult, LogDraft, SettleResult } from './types.ts';
import type { BatchState, HoldState, Operation, OperationOf, OperationResult, SweptState, TokenState } from './works-types.ts';

const closedBefore: SettleResult = { closed: false, collected: 0, shortfall: 0, correction: 0 };

/** Decides one operation on the state in memory, exactly as if it were alone. Pure arithmetic; the rows are locked. */
export function applyOperation(state: BatchState, operation: Operation): OperationResult {
  switch (operation.kind) {
    case 'hold':
      return applyHold(state, operation);
    case 'settle':
      return applySettle(state, operation);
    case 'extend':
      return applyExtend(state, operation);
    case 'dispatch':
      return change(state, operation, (hold) => {
        hold.dispatched = true;
      });
    case 'checkpoint':
      return change(state, operation, (hold) => {
        hold.checkpointCost = Math.max(hold.checkpointCost, operation.meteredCost);
        hold.leaseUntil = Math.max(hold.leaseUntil, operation.leaseUntil);
      });
    case 'release': {
      const hold = openHold(state, operation.id, operation);
      if (hold) close(state, hold, 0);
      return hold !== undefined;
    }
    case 'sweep':
      return applySweep(state, operation);
  }
}

/** Throws when the owner is known and another one: the rows that are locked and read are the owner's. */
function openHold(state: BatchState, id: string, { userId, tokenId }: HoldOwner): HoldState | undefined {
  const hold = state.holds.get(id);
  if (!hold || hold.state === 'closed') return undefined;
  if (userId >= 0 && (hold.userId !== userId || hold.tokenId !== tokenId))
    throw new Error(`Hold ${id} is another user's or token's`);
  return hold;
}

function change(state: BatchState, operation: Operation, edit: (hold: HoldState) => void): boolean {
  const hold = openHold(state, operation.id, operation);
  if (!hold) return false;
  edit(hold);
  if (hold.state === 'stored') hold.state = 'changed';
  return true;
}

function applyHold(state: BatchState, operation: OperationOf<'hold'>): HoldResult {
  const { id, userId, tokenId, amount } = operation;
  if (state.holds.has(id) || state.usedIds.has(id)) return { ok: false, reason: 'duplicate', have: 0 };
  const token = state.tokens.get(tokenId);
  if (token && isSpent(token)) {
    exhaust(state, tokenId, operation.now);
    return { ok: false, reason: 'exhausted', have: token.remain };
  }
  const refusal = reserve(state, userId, tokenId, amount);
  if (refusal) return refusal;
  state.holds.set(id, {
    id,
    userId,
    tokenId,
    amount,
    floorCost: operation.floorCost,
    checkpointCost: 0,
    dispatched: false,
    node: operation.node,
    leaseUntil: operation.leaseUntil,
    createdAt: operation.now,
    context: operation.context,
    note: operation.note,
    keeper: operation.keeper,
    state: 'new',
    persisted: false,
  });
  return { ok: true };
}

/** Moves `amount` from available to held in wallet and token, or says why not and changes nothing. */
function reserve(
  state: BatchState,
  userId: number,
  tokenId: number,
  amount: number,
): Extract<HoldResult, { ok: false }> | undefined {
  const wallet = state.wallets.get(userId);
  if (!wallet || wallet.available < amount) return { ok: false, reason: 'user', have: wallet?.available ?? 0 };
  const token = state.tokens.get(tokenId);
  if (tokenId !== 0 && (!token || token.deleted)) return { ok: false, reason: 'token', have: 0 };
  if (token?.limited && token.remain < amount) return { ok: false, reason: 'token', have: token.remain };
  wallet.available -= amount;
  wallet.delta.available -= amount;
  wallet.delta.held += amount;
  if (token) moveToken(token, { remain: -amount, used: 0, held: amount });
  return undefined;
}

/** An unlimited token counts what it holds and used, and keeps its remainder. */
function moveToken(token: TokenState, by: { remain: number; used: number; held: number }): void {
  token.delta.used += by.used;
  token.delta.held += by.held;
  token.held += by.held;
  if (!token.limited) return;
  token.remain += by.remain;
  token.delta.remain += by.remain;
}

function applyExtend(state: BatchState, operation: OperationOf<'extend'>): boolean {
  const { id, extra } = operation;
  const hold = openHold(state, id, operation);
  if (!hold || reserve(state, hold.userId, hold.tokenId, extra)) return false;
  return change(state, operation, () => {
    hold.amount += extra;
  });
}

/** Gives the hold back and takes `cost`, as far as hold, wallet and token reach. Returns what was collected. */
function close(state: BatchState, hold: HoldState, cost: number): number {
  hold.state = 'closed';
  const token = state.tokens.get(hold.tokenId);
  const wallet = state.wallets.get(hold.userId);
  if (!wallet) throw new Error(`Hold ${hold.id} has no wallet`);
  const more = Math.min(Math.max(0, cost - hold.amount), wallet.available, token?.limited ? token.remain : Infinity);
  const collected = Math.min(cost, hold.amount) + more;
  const back = hold.amount - collected;
  wallet.available += back;
  wallet.delta.available += back;
  wallet.delta.held -= hold.amount;
  wallet.delta.used += collected;
  if (token) moveToken(token, { remain: back, used: collected, held: -hold.amount });
  return collected;
}

function applySettle(state: BatchState, operation: OperationOf<'settle'>): SettleResult {
  const { id, cost, now, draft } = operation;
  const hold = openHold(state, id, draft);
  if (!hold) return applyLateSettle(state, operation);
  const collected = close(state, hold, cost);
  const shortfall = cost - collected;
  const token = state.tokens.get(hold.tokenId);
  if (token) token.usedAt = Math.max(token.usedAt, now);
  book(state, id, draft, collected, now);
  state.logs.push({ draft, now, quota: collected, shortfall });
  return { closed: true, collected, shortfall, correction: 0 };
}

/**
 * The database forgot the call, its hold and what else there was of it: it is charged as one that had held nothing. A token that
 * it forgot as well, whose number may be another's by now, is left out.
 */
function applyForgotten(state: BatchState, operation: OperationOf<'settle'>): SettleResult {
  const { id, cost, draft } = operation;
  const found = state.forgotten.get(id);
  // What this batch has seen of it is no less than what the database has.
  if (found === undefined || state.holds.has(id)) return closedBefore;
  const { userId } = draft;
  if (!found.isUserKnown || !state.wallets.has(userId)) {
    return { ...closedBefore, shortfall: cost, forgotten: 'unknown user' };
  }
  const tokenId = found.isTokenKnown ? draft.tokenId : 0;
  state.holds.set(id, heldNothing(operation, tokenId));
  const result = applySettle(state, { ...operation, tokenId, draft: { ...draft, tokenId } });
  return { ...result, closed: false, forgotten: 'charged' };
}

function heldNothing({ id, userId, now }: OperationOf<'settle'>, tokenId: number): HoldState {
  return {
    ...{ id, userId, tokenId, amount: 0, floorCost: 0, checkpointCost: 0, dispatched: false },
    ...{ node: '', leaseUntil: now, createdAt: now, context: '', note: { id: '', content: '' }, keeper: '' },
    ...{ state: 'new', persisted: false },
  };
}

function book(state: BatchState, id: string, draft: LogDraft, collected: number, now: number): void {
  const { userId } = draft;
  if (collected > 0) {
    state.transfers.push({ from: `user:${userId}`, to: 'revenue', amount: collected, kind: 'charge', ref: id, userId, now });
  }
  count(state, draft, collected, 1);
  exhaust(state, draft.tokenId, now);
}

/** Requests and channel; `calls` is 0 when the call was counted before. */
function count(state: BatchState, draft: LogDraft, quota: number, calls: number): void {
  const tokens = draft.promptTokens + draft.completionTokens;
  const wallet = state.wallets.get(draft.userId);
  if (wallet && (quota > 0 || tokens > 0)) wallet.delta.count += calls;
  if (draft.channelId > 0) state.channels.set(draft.channelId, (state.channels.get(draft.channelId) ?? 0) + quota);
}

/** A limited token ends only when nothing is left and nothing can come back from open holds. */
function isSpent({ limited, deleted, remain, held }: TokenState): boolean {
  return limited && !deleted && remain + held <= 0;
}

function exhaust(state: BatchState, tokenId: number, now: number): void {
  const token = state.tokens.get(tokenId);
  if (!token || token.status !== tokenStatus.enabled || !isSpent(token)) return;
  token.status = tokenStatus.exhausted;
  state.exhausted.push({ tokenId, now });
}

function applySweep(state: BatchState, operation: OperationOf<'sweep'>): boolean {
  const { id, now } = operation;
  const hold = openHold(state, id, operation);
  if (!hold || hold.leaseUntil > now || hold.keeper !== '') return false;
  if (!hold.dispatched) {
    close(state, hold, 0);
    state.sweeps.push({ hold, collected: 0, now });
    return true;
  }
  const cost = Math.max(hold.checkpointCost, hold.floorCost);
  const draft = sweptDraft(hold);
  const collected = close(state, hold, cost);
  book(state, id, draft, collected, now);
  state.sweeps.push({ hold, collected, now, log: { draft, now, quota: collected, shortfall: cost - collected } });
  return true;
}

/** The row that the dead process left behind, marked. */
function sweptDraft(hold: HoldState): LogDraft {
  const { context, note } = hold;
  const draft = note.id === '' ? (JSON.parse(context) as LogDraft) : draftOfNote(hold.id, note.content, context);
  return { ...draft, userId: hold.userId, tokenId: hold.tokenId, requestId: hold.id, other: marked(draft.other) };
}

function marked(other: string): string {
  try {
    return JSON.stringify({ ...(JSON.parse(other) as Record<string, unknown>), swept: true });
  } catch {
    return '{"swept":true}';
  }
}

/** The call ended after a sweep had closed its hold: at most one movement brings the charge to what it should be. */
function applyLateSettle(state: BatchState, operation: OperationOf<'settle'>): SettleResult {
  const { id, cost, now, draft } = operation;
  const swept = state.swept.get(id);
  if (!swept) return applyForgotten(state, operation);
  const wallet = state.wallets.get(swept.userId);
  if (!wallet) throw new Error(`Swept hold ${id} has no wallet`);
  const token = state.tokens.get(swept.tokenId);
  const wanted = cost - swept.collected;
  const correction = Math.min(wanted, wallet.available, token?.limited ? token.remain : Infinity);
  wallet.available -= correction;
  wallet.delta.available -= correction;
  wallet.delta.used += correction;
  if (token) moveToken(token, { remain: -correction, used: correction, held: 0 });
  const collected = swept.collected + correction;
  correct(state, swept, correction, now);
  // A sweep knows no channel: all of it is counted there now.
  count(state, draft, collected, swept.logId === 0 ? 1 : 0);
  exhaust(state, swept.tokenId, now);
  const shortfall = cost - collected;
  state.corrections.push({ swept, log: { draft, now: swept.closedAt, quota: collected, shortfall } });
  state.swept.delete(id);
  state.usedIds.add(id);
  return { closed: false, collected, shortfall, correction };
}

function correct(state: BatchState, { id, userId, collected }: SweptState, correction: number, now: number): void {
  if (correction === 0) return;
  const user = `user:${userId}`;
  // The first charge of a request always carries its id, so that the id cannot open another hold.
  if (collected === 0) {
    state.transfers.push({ from: user, to: 'revenue', amount: correction, kind: 'charge', ref: id, userId, now });
    return;
  }
  const [from, to] = correction > 0 ? [user, 'revenue'] : ['revenue', user];
  state.transfers.push({ from, to, amount: Math.abs(correction), kind: 'correction', ref: `${id}:corr`, userId, now });
}
