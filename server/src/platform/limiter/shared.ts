/** A count in a window of time that all nodes keep together. */
export interface SharedRule {
  readonly name: string;
  readonly windowMs: number;
  readonly allowed: number;
  readonly amount: number;
}

/** Calls at the same time, over all nodes. */
export interface SharedSlot {
  readonly name: string;
  readonly limit: number;
}

/** What stands under a rule, the call that asked included. */
export interface RuleState {
  readonly used: number;
  /** Milliseconds until nothing of it is left. */
  readonly resetMs: number;
}

export type SharedVerdict =
  | { readonly ok: true; readonly states: readonly (RuleState & { readonly slice: number })[] }
  /** `rule`: index of the one that is full; undefined = a slot is missing. */
  | { readonly ok: false; readonly rule: number | undefined; readonly waitMs: number };

/** Undefined instead of an answer: they are away, and each node goes by its own count. Nothing here throws. */
export interface SharedCounts {
  /** Nodes that count together, as last seen; at least 1. */
  nodes(): number;
  /** A place under every rule and every slot, or none at all. */
  take(id: string, rules: readonly SharedRule[], slots: readonly SharedSlot[]): Promise<SharedVerdict | undefined>;
  /** What stands under each rule, then how many are under each slot. */
  look(rules: readonly SharedRule[], slots: readonly SharedSlot[]): Promise<readonly number[] | undefined>;
  /** Adds to what a call took, or takes back; without `slice` as of now. */
  add(rule: SharedRule, amount: number, slice?: number): void;
  /** The call is over. */
  leave(id: string, slots: readonly SharedSlot[]): void;
  close(): Promise<void>;
}
