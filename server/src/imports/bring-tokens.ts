import { movedTokenQuota } from '../billing/index.ts';
import { changeImportedToken, insertImportedToken, tokenKeyFault } from '../identity/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { sha256 } from '../platform/crypto.ts';
import type { Transaction } from '../storage/database.ts';
import { type MappedToken, mapToken } from './map-token.ts';
import { changedOf, checkUnmarked, digestsOf, type Mark, writeMark } from './marks.ts';
import { bringPage, isForeseen, type Later, marksMet, pagesOf, type Run, vanished } from './work.ts';

interface TokenState {
  readonly remain: number;
  readonly used: number;
  /** Of the rest. */
  readonly rest: string;
  /** Of the rest, one by one; absent in marks of before they were told apart. */
  readonly fields?: ReturnType<typeof fieldsOf>;
  /** A digest of the key that it came with; absent in marks of before it was remembered. */
  readonly key?: string;
  readonly isGone?: true;
}

/** Tokens with the keys that their callers have. */
export async function bringTokens(run: Run): Promise<void> {
  const met = new Set<string>();
  for await (const rows of pagesOf(run, 'tokens', 'tokens')) {
    const mapped = rows.map((row) => mapToken(run.product, row));
    const marks = await marksMet(run, 'token', mapped, met);
    await bringPage(run, mapped, (each, tx, later) => bring(run, { tx, later }, each, marks.get(each.key)));
  }
  for await (const marks of vanished(run, { table: 'tokens', kind: 'token', met }))
    await bringPage(run, marks, (mark, tx, later) => withdraw(run, { tx, later }, mark.key, mark));
}

/** Where a row is written, and what is counted once it is. */
interface Pass {
  readonly tx: Transaction | undefined;
  readonly later: Later;
}

async function bring(run: Run, pass: Pass, mapped: ReturnType<typeof mapToken>, mark: Mark | undefined): Promise<void> {
  const { tx, later } = pass;
  if ('skip' in mapped) {
    later(() => run.tally.skip('tokens', mapped.skip, mapped.key));
    // Its rows of the log are still to come.
    if (mark !== undefined) later(() => void run.tokens.set(mapped.key, mark.targetId));
    if (mapped.skip === 'deleted' && mark !== undefined) await withdraw(run, pass, mapped.key, mark);
    return;
  }
  const owner = run.users.get(mapped.owner);
  if (owner === undefined) return later(() => run.tally.skip('tokens', 'ownerless', mapped.key));
  later(() => {
    for (const note of mapped.notes) run.tally.note('tokens', note, mapped.key, mapped.token.name);
  });
  if (mark !== undefined) return revisit(run, pass, mapped, mark);
  const read = tx?.query ?? run.db?.read;
  const known = await tokenKeyFault(read, run.crypto, mapped.token.key);
  const fault = known ?? (isForeseen(run, tx, digestOf(run, mapped)) ? 'taken' : undefined);
  if (fault !== undefined && tx !== undefined) await checkUnmarked(tx, placeOf(run, mapped.key));
  if (fault !== undefined) return later(() => run.tally.skip('tokens', fault, mapped.key));
  const token = { ...mapped.token, userId: owner.id };
  const id = tx === undefined ? 0 : await insertImportedToken(tx, run.crypto, token, nowSeconds(run.clock));
  const after = { targetId: id, state: { ...stateOf(mapped), key: digestOf(run, mapped) } };
  if (tx !== undefined) await writeMark(tx, placeOf(run, mapped.key), { before: undefined, after });
  later(() => {
    run.tally.counts.tokens.imported += 1;
    remember(run, mapped, id, undefined);
  });
}

const placeOf = ({ product }: Run, key: string) => ({ source: product, kind: 'token', key });

const digestOf = ({ crypto }: Run, { token }: MappedToken): string => crypto.hmac('token-key', token.key);

function remember(run: Run, mapped: MappedToken, id: number, brought: string | undefined): void {
  run.tokens.set(mapped.key, id);
  run.tokenKeys.push({ id, there: digestOf(run, mapped), brought });
}

function fieldsOf({ token }: MappedToken) {
  const { name, status, expiredAt, unlimited, models, allowIps, group } = token;
  return digestsOf({ name, status, expiredAt, unlimited, models, allowIps, group });
}

function stateOf(mapped: MappedToken) {
  const { token } = mapped;
  const { name, status, expiredAt, unlimited, models, allowIps, group } = token;
  const rest = sha256(JSON.stringify([name, status, expiredAt, unlimited, models ?? null, allowIps, group]));
  return { remain: token.remain, used: token.used, rest, fields: fieldsOf(mapped) };
}

async function revisit(run: Run, { tx, later }: Pass, mapped: MappedToken, mark: Mark): Promise<void> {
  const last = mark.state as unknown as TokenState;
  const next = stateOf(mapped);
  const { key = digestOf(run, mapped) } = last;
  const changed = changedOf(last.fields, next.fields, last.rest === next.rest);
  const isSame = last.remain === next.remain && last.used === next.used && changed.length === 0;
  later(() => {
    remember(run, mapped, mark.targetId, key);
    run.tally.counts.tokens[isSame ? 'known' : 'changed'] += 1;
  });
  if (isSame || tx === undefined || run.mode !== 'delta') return;
  const { token } = mapped;
  // Where it was not remembered, a token that was switched off here cannot be told from one that was switched on there.
  const change = { token, changed, mayEnable: last.fields !== undefined };
  if (changed.length > 0) await changeImportedToken(tx, mark.targetId, change, nowSeconds(run.clock));
  const unlimited = changed.includes('unlimited') ? token.unlimited : undefined;
  const move = { remain: next.remain - last.remain, used: next.used - last.used, unlimited };
  await tx.perform(movedTokenQuota(mark.targetId, move));
  await writeMark(tx, placeOf(run, mapped.key), { before: mark, after: { targetId: mark.targetId, state: { ...next, key } } });
}

/** Deleted at the source since. */
async function withdraw(run: Run, { tx, later }: Pass, key: string, mark: Mark): Promise<void> {
  const state = mark.state as unknown as TokenState;
  // Its rows of the log are still to come.
  later(() => void run.tokens.set(key, mark.targetId));
  if (state.isGone) return;
  later(() => {
    run.tally.counts.tokens.changed += 1;
    run.tally.note('tokens', 'deleted_since', key);
  });
  if (tx === undefined || run.mode !== 'delta') return;
  await changeImportedToken(tx, mark.targetId, undefined, nowSeconds(run.clock));
  const after = { targetId: mark.targetId, state: { ...state, isGone: true } };
  await writeMark(tx, placeOf(run, key), { before: mark, after });
}
