import { expect } from 'vitest';
import { availableOf, freeHeld } from '../src/billing/accounts.ts';
import { createLedger, type Ledger, LedgerUnavailable, setTokenQuota, transfer } from '../src/billing/index.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Database } from '../src/storage/database.ts';
import type { Command } from './ledger-commands.ts';
import { draftOf, forgetHold, giveToken, giveUser, giveWallet, grant, holdOf } from './ledger-kit.ts';
import { type HoldOutcome, LedgerModel } from './ledger-model.ts';

const leaseSeconds = 120;
const tokenGrants = [
  { remain: 500, unlimited: false },
  { remain: 0, unlimited: true },
  { remain: 2000, unlimited: false },
];

export interface WorkerParts {
  /** For what is not the ledger's own. */
  db: Database;
  /** The ledger's handle; it may inject faults. */
  ledgerDb: Database;
  clock: Clock;
  userId: number;
  /** Unix seconds, shared by all workers. */
  time: { now: number };
  count(): void;
}

/** Plays commands on the real ledger and on the model, and compares every answer. */
export class LedgerWorker {
  readonly model = new LedgerModel();
  readonly #parts: WorkerParts;
  #ledger: Ledger;
  #tokenIds: number[] = [];
  #serial = 0;
  #price = 1;
  #skew = 0;
  readonly #refs: string[] = [];

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#ledger = this.#newLedger();
  }

  get userId(): number {
    return this.#parts.userId;
  }

  #newLedger(): Ledger {
    return createLedger({ db: this.#parts.ledgerDb, clock: this.#parts.clock });
  }

  async start(): Promise<void> {
    const { db, userId } = this.#parts;
    await giveUser(db, userId);
    await giveWallet(db, userId, 3000);
    this.model.adjust(3000);
    for (const quota of tokenGrants) {
      this.#tokenIds.push(await giveToken(db, userId, quota));
      this.model.tokens.push({ ...quota, granted: quota.remain, used: 0, held: 0, deleted: false, exhausted: false });
    }
  }

  tokenIds(): readonly number[] {
    return this.#tokenIds;
  }

  async play(commands: readonly Command[]): Promise<void> {
    for (const command of commands) await this.#playOne(command);
  }

  /** Runs a ledger call until it is through. A lost answer did happen; an injected fault did nothing and is repeated. */
  async #expect<T>(expected: T, run: () => Promise<T>): Promise<void> {
    this.#parts.count();
    for (;;) {
      try {
        expect(await run()).toEqual(expected);
        return;
      } catch (error) {
        if (error instanceof LedgerUnavailable && String(error.cause).includes('answer lost')) return;
        if (!(error instanceof Error) || error.message !== 'injected fault') throw error;
      }
    }
  }

  #now(): number {
    return this.#parts.time.now + this.#skew;
  }

  #open(pick: number): string | undefined {
    const ids = [...this.model.holds.keys()];
    return ids[pick % Math.max(1, ids.length)];
  }

  async #playOne(command: Command): Promise<void> {
    const { kind, pick, amount, flag } = command;
    switch (kind) {
      case 'grant':
        return this.#transfer(amount + 1, flag);
      case 'adminAdjust':
        return this.#transfer(flag ? amount + 1 : -(amount + 1), false);
      case 'hold':
        return this.#hold(`${this.userId}-${this.#nextSerial()}`, command);
      case 'holdTwice':
        return this.#hold(`${this.userId}-${1 + (pick % Math.max(1, this.#serial))}`, command);
      case 'free':
        return this.#free(amount);
      case 'crash':
        this.#ledger = this.#newLedger();
        return;
      case 'priceChange':
        this.#price = 1 + (pick % 3);
        return;
      case 'clockSkew':
        this.#skew = (pick % 120) - 60;
        return;
      case 'tokenEdit':
      case 'tokenDelete':
        return this.#editToken(command);
      case 'userDelete':
        await this.#parts.db.transaction((tx) =>
          tx.query.updateTable('users').set({ deleted_at: 1 }).where('id', '=', this.userId).execute(),
        );
        return;
      case 'lateSettle':
        return this.#settle([...this.model.swept.keys()][pick % Math.max(1, this.model.swept.size)], amount);
      case 'forgottenSettle':
        return this.#settle([...this.model.forgotten.keys()][pick % Math.max(1, this.model.forgotten.size)], amount);
      case 'settleTwice':
        return this.#settle(this.model.log[pick % Math.max(1, this.model.log.length)]?.id, amount);
      default:
        return this.#playOnHold(command, this.#open(pick));
    }
  }

  #nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  async #playOnHold({ kind, amount }: Command, id: string | undefined): Promise<void> {
    const hold = id === undefined ? undefined : this.model.holds.get(id);
    if (id === undefined || !hold) return;
    switch (kind) {
      case 'dispatch':
        hold.dispatched = true;
        return this.#expect(true, () => this.#ledger.dispatch(id));
      case 'checkpoint': {
        const leaseUntil = this.#now() + leaseSeconds;
        hold.checkpointCost = Math.max(hold.checkpointCost, amount * hold.price);
        hold.leaseUntil = Math.max(hold.leaseUntil, leaseUntil);
        return this.#expect(true, () => this.#ledger.checkpoint(id, amount * hold.price, leaseUntil));
      }
      case 'extend':
        return this.#expect(this.model.extend(id, amount), () => this.#ledger.extend(id, amount));
      case 'settle':
        return this.#settle(id, amount * hold.price);
      case 'forget':
        this.model.forget(id);
        return forgetHold(this.#parts.db, id);
      case 'release':
        return this.#expect(this.model.release(id), () => this.#ledger.release(id));
    }
  }

  async #hold(id: string, { token, amount, flag }: Command): Promise<void> {
    const floorCost = flag ? Math.min(amount, 5) : 0;
    const tokenIndex = token % this.#tokenIds.length;
    const tokenId = this.#tokenIds[tokenIndex] ?? 0;
    const leaseUntil = this.#now() + leaseSeconds;
    const price = this.#price;
    const expected: HoldOutcome = this.model.hold(id, {
      ...{ amount: amount * price, floorCost, checkpointCost: 0, dispatched: false, leaseUntil },
      ...{ token: tokenIndex, price },
    });
    const request = holdOf(id, this.userId, tokenId, amount * price, { floorCost, now: this.#now(), leaseUntil });
    await this.#expect<HoldOutcome>(expected, async () => {
      const result = await this.#ledger.hold(request);
      return result.ok ? 'ok' : result.reason;
    });
    if (expected === 'ok') this.#owners.set(id, tokenId);
  }

  readonly #owners = new Map<string, number>();

  async #settle(id: string | undefined, cost: number): Promise<void> {
    if (id === undefined) return;
    const expected = this.model.settle(id, cost);
    const draft = draftOf(id, this.userId, this.#owners.get(id) ?? 0, { tokenName: 't' });
    return this.#expect(expected, () => this.#ledger.settle({ id, cost, now: this.#now(), draft }));
  }

  async #transfer(delta: number, repeat: boolean): Promise<void> {
    this.#parts.count();
    const ref = `move:${this.userId}:${this.#refs.length}`;
    const request =
      delta > 0
        ? grant(this.userId, delta, ref)
        : { ...grant(this.userId, -delta, ref), from: `user:${this.userId}`, to: 'adjust', kind: 'adjust' as const };
    const book = (): Promise<boolean> => this.#parts.db.transaction((tx) => tx.perform(transfer(request)));
    this.#refs.push(ref);
    if (!this.model.adjust(delta)) {
      await expect(book()).rejects.toMatchObject({ code: 'insufficient' });
      return;
    }
    expect(await book()).toBe(true);
    if (repeat) expect(await book()).toBe(false);
  }

  async #free(wanted: number): Promise<void> {
    this.#parts.count();
    const expected = this.model.free(wanted);
    const free = this.#parts.db.transaction(async (tx) => {
      await tx.perform(availableOf(this.userId));
      return tx.perform(freeHeld(this.userId, wanted));
    });
    expect(await free).toBe(expected);
  }

  async #editToken({ kind, token, amount, flag }: Command): Promise<void> {
    const { db, count } = this.#parts;
    count();
    const index = token % this.#tokenIds.length;
    const id = this.#tokenIds[index] ?? 0;
    if (kind === 'tokenDelete') {
      // One token always lives.
      if (index === 0) return;
      this.model.token(index).deleted = true;
      await db.transaction((tx) => tx.query.updateTable('token').set({ deleted_at: 1 }).where('id', '=', id).execute());
      return;
    }
    this.model.editToken(index, amount, flag);
    await db.transaction((tx) => tx.perform(setTokenQuota(id, { remain: amount, unlimited: flag })));
  }
}
