/** A pure model of one user's money, written from the ledger page and not from the code. */
export interface ModelToken {
  granted: number;
  remain: number;
  used: number;
  held: number;
  unlimited: boolean;
  deleted: boolean;
  exhausted: boolean;
}

export interface ModelHold {
  amount: number;
  floorCost: number;
  checkpointCost: number;
  dispatched: boolean;
  leaseUntil: number;
  token: number;
  /** Price of a unit of work when the hold was made; later price changes do not matter. */
  price: number;
}

interface ModelSwept {
  collected: number;
  token: number;
  charged: boolean;
}

export interface Outcome {
  closed: boolean;
  collected: number;
  shortfall: number;
  correction: number;
  forgotten?: 'charged';
}

export type HoldOutcome = 'ok' | 'user' | 'token' | 'exhausted' | 'duplicate';

const closedBefore: Outcome = { closed: false, collected: 0, shortfall: 0, correction: 0 };

export class LedgerModel {
  available = 0;
  used = 0;
  requests = 0;
  shortfall = 0;
  /** Sum of all transfers into the wallet but charges. */
  received = 0;
  readonly tokens: ModelToken[] = [];
  readonly holds = new Map<string, ModelHold>();
  readonly swept = new Map<string, ModelSwept>();
  /** Holds of which the database knows nothing any more: id -> token. */
  readonly forgotten = new Map<string, number>();
  /** Log rows; an id that was released or free may be used again. */
  readonly log: { id: string; quota: number }[] = [];

  /** Ids that ever cost something. */
  readonly #charged = new Set<string>();

  held(): number {
    return [...this.holds.values()].reduce((sum, hold) => sum + hold.amount, 0);
  }

  /** A grant or, when negative, a deduction; false when the wallet has less. */
  adjust(delta: number): boolean {
    if (this.available + delta < 0) return false;
    this.available += delta;
    this.received += delta;
    return true;
  }

  editToken(index: number, remain: number, unlimited: boolean): void {
    const token = this.token(index);
    token.remain = remain;
    token.unlimited = unlimited;
    token.granted = remain + token.used + token.held;
  }

  token(index: number): ModelToken {
    const token = this.tokens[index];
    if (!token) throw new Error(`No token ${index}`);
    return token;
  }

  hold(id: string, hold: ModelHold): HoldOutcome {
    if (this.holds.has(id) || this.swept.has(id) || this.#charged.has(id)) return 'duplicate';
    const { unlimited, deleted, remain, held } = this.token(hold.token);
    if (!unlimited && !deleted && remain + held === 0) {
      this.#exhaust(hold.token);
      return 'exhausted';
    }
    const refusal = this.#reserve(hold.token, hold.amount);
    if (refusal) return refusal;
    this.holds.set(id, hold);
    this.forgotten.delete(id);
    return 'ok';
  }

  #reserve(index: number, amount: number): 'user' | 'token' | undefined {
    const token = this.token(index);
    if (this.available < amount) return 'user';
    if (token.deleted || (!token.unlimited && token.remain < amount)) return 'token';
    this.available -= amount;
    token.held += amount;
    if (!token.unlimited) token.remain -= amount;
    return undefined;
  }

  extend(id: string, extra: number): boolean {
    const hold = this.holds.get(id);
    if (!hold || this.#reserve(hold.token, extra)) return false;
    hold.amount += extra;
    return true;
  }

  /** As if it had never been. */
  forget(id: string): void {
    const token = this.holds.get(id)?.token ?? 0;
    this.release(id);
    this.forgotten.set(id, token);
  }

  /** Out of the largest holds, while their calls run. Returns how much that was. */
  free(wanted: number): number {
    const largest = [...this.holds].sort(
      ([leftId, left], [rightId, right]) => right.amount - left.amount || (leftId < rightId ? -1 : 1),
    );
    let freed = 0;
    for (const [, hold] of largest) {
      const part = Math.min(wanted - freed, hold.amount);
      const token = this.token(hold.token);
      hold.amount -= part;
      token.held -= part;
      if (!token.unlimited) token.remain += part;
      freed += part;
    }
    this.available += freed;
    return freed;
  }

  #close(id: string, hold: ModelHold, cost: number): number {
    const token = this.token(hold.token);
    this.holds.delete(id);
    const collectable = token.unlimited ? this.available : Math.min(this.available, token.remain);
    const collected = Math.min(cost, hold.amount + collectable);
    this.available += hold.amount - collected;
    token.held -= hold.amount;
    token.used += collected;
    if (!token.unlimited) token.remain += hold.amount - collected;
    this.used += collected;
    if (collected > 0) this.#charged.add(id);
    return collected;
  }

  #exhaust(index: number): void {
    const token = this.token(index);
    if (!token.unlimited && !token.deleted && token.remain + token.held === 0) token.exhausted = true;
  }

  settle(id: string, cost: number): Outcome {
    const hold = this.holds.get(id);
    if (!hold) return this.#settleLate(id, cost);
    const collected = this.#close(id, hold, cost);
    this.#exhaust(hold.token);
    this.requests += 1;
    this.log.push({ id, quota: collected });
    return { closed: true, collected, shortfall: cost - collected, correction: 0 };
  }

  #settleLate(id: string, cost: number): Outcome {
    const swept = this.swept.get(id);
    if (!swept) return this.#settleForgotten(id, cost);
    const token = this.token(swept.token);
    const collectable = token.unlimited ? this.available : Math.min(this.available, token.remain);
    const correction = Math.min(cost - swept.collected, collectable);
    this.available -= correction;
    token.used += correction;
    if (!token.unlimited) token.remain -= correction;
    this.used += correction;
    if (correction !== 0) this.#charged.add(id);
    this.swept.delete(id);
    this.#exhaust(swept.token);
    if (!swept.charged) this.requests += 1;
    const collected = swept.collected + correction;
    const row = swept.charged ? this.log.findLast((entry) => entry.id === id) : undefined;
    if (row) row.quota = collected;
    else this.log.push({ id, quota: collected });
    return { closed: false, collected, shortfall: cost - collected, correction };
  }

  #settleForgotten(id: string, cost: number): Outcome {
    const index = this.forgotten.get(id);
    // An id that cost nothing may have been held again.
    if (index === undefined || this.log.some((entry) => entry.id === id)) return closedBefore;
    const token = this.token(index);
    const collected = Math.min(cost, this.available, token.unlimited ? Infinity : token.remain);
    this.available -= collected;
    token.used += collected;
    if (!token.unlimited) token.remain -= collected;
    this.used += collected;
    if (collected > 0) this.#charged.add(id);
    this.#exhaust(index);
    this.requests += 1;
    this.log.push({ id, quota: collected });
    return { closed: false, collected, shortfall: cost - collected, correction: 0, forgotten: 'charged' };
  }

  release(id: string): boolean {
    const hold = this.holds.get(id);
    if (hold) this.#close(id, hold, 0);
    return hold !== undefined;
  }

  /** Returns how many holds it closed. */
  sweep(now: number): number {
    // The order matters when they compete for what is left in the wallet.
    const expired = [...this.holds]
      .filter(([, hold]) => hold.leaseUntil <= now)
      .sort(([leftId, left], [rightId, right]) => left.leaseUntil - right.leaseUntil || (leftId < rightId ? -1 : 1));
    for (const [id, hold] of expired) {
      const collected = this.#close(id, hold, hold.dispatched ? Math.max(hold.checkpointCost, hold.floorCost) : 0);
      this.swept.set(id, { collected, token: hold.token, charged: hold.dispatched });
      if (!hold.dispatched) continue;
      this.#exhaust(hold.token);
      this.requests += 1;
      this.log.push({ id, quota: collected });
    }
    return expired.length;
  }
}
