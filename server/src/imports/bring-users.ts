import { role } from '@tollgate/contract';
import { bookOpening } from '../billing/index.ts';
import {
  accessTokenDigest,
  changeImportedAccessToken,
  changeImportedSetting,
  changeImportedUser,
  insertImportedFactor,
  insertImportedUser,
} from '../identity/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { sha256 } from '../platform/crypto.ts';
import type { Transaction } from '../storage/database.ts';
import { ImportFault } from './faults.ts';
import { type Figures, type MappedUser, mapUser } from './map-user.ts';
import { changedOf, digestsOf, type KeyedMark, type Mark, writeMark } from './marks.ts';
import { readSecondFactors } from './second-factors.ts';
import { text } from './values.ts';
import { bringPage, marksMet, pagesOf, type Run, refPrefix, vanished } from './work.ts';

/** What is remembered of a user: the figures that are in our books, and what the rest was. */
interface UserState extends Figures {
  readonly profile: string;
  /** Of what is in the profile, one by one; absent in marks of before they were told apart. */
  readonly fields?: ReturnType<typeof fieldsOf>;
  /** The invite code, which nobody changes: with another one it is another site's user. "" = had none yet. */
  readonly code: string;
  /** A digest of the authenticator's secret; absent in marks of before it came along. */
  readonly factor?: string;
  /** A digest of the system access token; absent in marks of before it was looked at. */
  readonly token?: string;
  /** How often it was brought over. */
  readonly times: number;
}

/** Users with their opening balances; one transfer each for balance, rewards and what was spent. */
export async function bringUsers(run: Run): Promise<void> {
  // Before the first of them: nobody is here for a moment without what guards the account.
  const enrolled = await readSecondFactors(run.source);
  const met = new Set<string>();
  for await (const rows of pagesOf(run, 'users', 'users')) {
    const mapped = rows.map((row) => mapUser(row, enrolled.get(text(row, 'id'))));
    const marks = await marksMet(run, 'user', mapped, met);
    const page = mapped.flatMap((each) => lookAt(run, each, marks.get(each.key)));
    await keepUnheld(run, mapped, marks);
    /** Who was invited by somebody of the same page. */
    const here = new Map<string, number>();
    await bringPage(run, page, async (pending, tx, later) => {
      const done = tx === undefined ? foreseen(pending) : await bring(run, tx, pending, here);
      here.set(done.key, done.id);
      later(() => {
        run.users.set(done.key, { id: done.id, username: done.username });
        for (const note of done.notes) run.tally.note('users', note, done.key, done.username);
      });
    });
  }
  await tellMissing(run, met);
}

/** Whose row is no longer there at all, and why, nobody knows: money is not taken back for that. */
async function tellMissing(run: Run, met: ReadonlySet<string>): Promise<void> {
  for await (const marks of vanished(run, { table: 'users', kind: 'user', met })) await countLastKnown(run, marks, 'missing');
}

/** Who is here, and has figures there by now that cannot be held, stays with those of before; tokens and log go on. */
async function keepUnheld(
  run: Run,
  mapped: readonly ReturnType<typeof mapUser>[],
  marks: ReadonlyMap<string, Mark>,
): Promise<void> {
  const unheld = mapped.flatMap((each): KeyedMark[] => {
    const mark = marks.get(each.key);
    return mark !== undefined && isUnheld(each) ? [{ ...mark, key: each.key }] : [];
  });
  if (unheld.length === 0) return;
  const names = await countLastKnown(run, unheld, 'overflow_since');
  for (const { key, targetId } of unheld) run.users.set(key, { id: targetId, username: names.get(targetId) ?? '' });
  run.tally.counts.users.known += unheld.length;
}

const isUnheld = (found: ReturnType<typeof mapUser>): boolean => 'skip' in found && found.skip === 'overflow';

/** Answers the names. */
async function countLastKnown(run: Run, marks: readonly KeyedMark[], what: string): Promise<ReadonlyMap<number, string>> {
  const { db, tally, before } = run;
  const ids = marks.map(({ targetId }) => targetId);
  const rows = (await db?.read.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).execute()) ?? [];
  const names = new Map(rows.map(({ id, username }) => [id, username]));
  for (const { key, targetId, state } of marks) {
    const { balance, used, affiliate } = state as unknown as UserState;
    before.balance += BigInt(balance);
    before.used += BigInt(used);
    before.affiliate += BigInt(affiliate);
    tally.note('users', what, key, names.get(targetId));
  }
  return names;
}

function foreseen({ user, mark }: Pending): Done {
  return { key: user.key, id: mark?.targetId ?? 0, username: user.user.username, notes: [] };
}

async function bring(run: Run, tx: Transaction, pending: Pending, here: ReadonlyMap<string, number>): Promise<Done> {
  const { user, mark } = pending;
  const inviter = String(user.inviter);
  const inviterId = run.users.get(inviter)?.id ?? here.get(inviter) ?? 0;
  return mark === undefined ? insert(run, tx, user, inviterId) : revisit(run, tx, pending, mark);
}

interface Pending {
  readonly user: MappedUser;
  readonly mark: Mark | undefined;
  readonly isChanged: boolean;
}

function lookAt(run: Run, found: ReturnType<typeof mapUser>, mark: Mark | undefined): Pending[] {
  const { tally, before } = run;
  const counts = tally.counts.users;
  const mapped = 'skip' in found && mark !== undefined ? (found.gone ?? found) : found;
  if (mark !== undefined && isUnheld(mapped)) return [];
  if ('skip' in mapped) {
    tally.skip('users', mapped.skip, mapped.key);
    return [];
  }
  // Who had none yet gets one there with the first look at it.
  if (mark !== undefined && mark.state.code !== '' && mark.state.code !== mapped.user.inviteCode)
    throw new ImportFault('other_site', { product: run.product, key: mapped.key });
  for (const note of mapped.notes) tally.note('users', note, mapped.key, mapped.user.username);
  before.balance += BigInt(mapped.figures.balance);
  before.used += BigInt(mapped.figures.used);
  before.affiliate += BigInt(mapped.figures.affiliate);
  before.debts += BigInt(mapped.debt);
  const isChanged = mark !== undefined && !isSame(mark.state as unknown as UserState, stateOf(mapped, 0));
  if (mark === undefined) counts.imported += 1;
  else if (isChanged) counts.changed += 1;
  else counts.known += 1;
  return [{ user: mapped, mark, isChanged }];
}

/** Who was deleted there is no longer one who was merely switched off. */
function fieldsOf({ user, isGone }: MappedUser) {
  const { displayName, status, group, passwordHash } = user;
  return digestsOf({ displayName, status: isGone ? 'gone' : status, group, passwordHash });
}

function changedIn(last: UserState, next: UserState & { readonly fields: ReturnType<typeof fieldsOf> }) {
  return changedOf(last.fields, next.fields, last.profile === next.profile);
}

function stateOf(mapped: MappedUser, times: number) {
  const { user, figures, factor } = mapped;
  const { displayName, status, group, passwordHash } = user;
  return {
    ...figures,
    profile: sha256(JSON.stringify([displayName, status, group, passwordHash])),
    fields: fieldsOf(mapped),
    code: user.inviteCode,
    factor: factor === '' ? '' : sha256(factor),
    token: accessTokenDigest(user.accessToken),
    times,
  };
}

function isSame(left: UserState, right: ReturnType<typeof stateOf>): boolean {
  const keys = ['balance', 'used', 'requests', 'affiliate'] as const;
  const digests = ['factor', 'token'] as const;
  if (changedIn(left, right).length > 0) return false;
  return digests.every((key) => (left[key] ?? '') === (right[key] ?? '')) && keys.every((key) => left[key] === right[key]);
}

interface Done {
  readonly key: string;
  readonly id: number;
  readonly username: string;
  readonly notes: readonly string[];
}

const placeOf = ({ product }: Run, { key }: MappedUser) => ({ source: product, kind: 'user', key });

async function insert(run: Run, tx: Transaction, mapped: MappedUser, inviterId: number): Promise<Done> {
  const now = nowSeconds(run.clock);
  const { id, username, notes, isTheirs } = await insertImportedUser(tx, { ...mapped.user, inviterId });
  await tx.perform(bookOpening({ ...mapped.figures, userId: id, ref: `${refPrefix(run)}${mapped.key}`, now }));
  const after = { targetId: id, state: { ...stateOf(mapped, 1) } };
  await writeMark(tx, placeOf(run, mapped), { before: undefined, after });
  return {
    key: mapped.key,
    id,
    username,
    notes: [...notes, ...(await bringFactor(run, tx, mapped, id, isTheirs))],
  };
}

/** A delta books the difference to what the source said the last time, so that what happened here meanwhile stays. */
async function revisit(run: Run, tx: Transaction, { user: mapped, isChanged }: Pending, mark: Mark): Promise<Done> {
  const id = mark.targetId;
  const row = await tx.query.selectFrom('users').select(['username', 'role']).where('id', '=', id).executeTakeFirst();
  const now = nowSeconds(run.clock);
  const warned = run.mode === 'delta' && (await bringWarning(tx, mapped, id, now)) ? ['warning_brought'] : [];
  const done = { key: mapped.key, id, username: row?.username ?? mapped.user.username, notes: warned };
  if (run.mode !== 'delta' || !isChanged) return done;
  const last = mark.state as unknown as UserState;
  const next = stateOf(mapped, last.times + 1);
  const changed = changedIn(last, next).map((field) => [field, mapped.user[field]]);
  // Where it was not remembered, a ban of here cannot be told from one that was lifted there.
  const changes = { ...Object.fromEntries(changed), mayEnable: last.fields !== undefined };
  const isEnded = changed.length > 0 && (await changeImportedUser(tx, id, changes, now));
  if (!isEnded) await changeToken(tx, id, last, next, now);
  const change = {
    balance: next.balance - last.balance,
    used: next.used - last.used,
    requests: next.requests - last.requests,
    affiliate: next.affiliate - last.affiliate,
  };
  const ref = `${refPrefix(run)}${mapped.key}:${next.times}`;
  const { short } = await tx.perform(bookOpening({ ...change, userId: id, ref, now }));
  await writeMark(tx, placeOf(run, mapped), { before: mark, after: { targetId: id, state: { ...next } } });
  // Whose password root has is no longer known.
  const factor = (last.factor ?? '') === next.factor ? [] : await bringFactor(run, tx, mapped, id, row?.role !== role.root);
  return { ...done, notes: [...warned, ...(short > 0 ? ['short'] : []), ...factor] };
}

/** Imports of before left out who is warned by a webhook. */
async function bringWarning(tx: Transaction, { user, settingBefore }: MappedUser, id: number, now: number): Promise<boolean> {
  if (settingBefore === undefined) return false;
  return changeImportedSetting(tx, id, { before: settingBefore, after: user.setting }, now);
}

/** Whose token it is where none was remembered is no longer known. */
async function changeToken(tx: Transaction, id: number, last: UserState, next: UserState, now: number): Promise<void> {
  const [before, after] = [last.token, next.token ?? ''];
  if (before !== undefined && before !== after) await changeImportedAccessToken(tx, id, { before, after }, now);
}

/** One that was set up here stays, and a root who keeps the password of here is not asked for a code of there. */
async function bringFactor(run: Run, tx: Transaction, mapped: MappedUser, userId: number, isTheirs: boolean): Promise<string[]> {
  if (mapped.factor === '') return [];
  const factor = { userId, secret: mapped.factor, now: nowSeconds(run.clock) };
  const isOn = isTheirs && (await insertImportedFactor(tx, run.crypto, factor));
  return [isOn ? 'factor_brought' : 'second_factor'];
}
