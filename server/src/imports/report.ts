import type { Product } from './product.ts';

export const kinds = ['options', 'users', 'tokens', 'channels', 'redemptions', 'logs'] as const;
export type Kind = (typeof kinds)[number];

/** What became of the rows of one kind. */
export interface Counts {
  found: number;
  /** New here, or in a dry run: that would be. */
  imported: number;
  /** Here already, and as they were. */
  known: number;
  /** Changed at the source since; brought over by a delta. */
  changed: number;
  /** Not brought over; the notes say why. */
  skipped: number;
}

/** Something that an operator should know of; `key` is the row's id or name at the source. */
export interface Note {
  readonly kind: Kind;
  readonly what: string;
  readonly key: string;
  readonly detail: string;
}

export interface Totals {
  balance: number;
  used: number;
  affiliate: number;
}

export interface Report {
  readonly product: Product;
  readonly mode: 'dry-run' | 'import' | 'delta';
  readonly counts: Readonly<Record<Kind, Counts>>;
  /** The first of each sort. */
  readonly notes: readonly Note[];
  /** kind + what -> how many. */
  readonly noted: Readonly<Record<string, number>>;
  /** What the source's users have, and what was opened here for them, read back from the ledger. */
  readonly before: Totals;
  readonly after: Totals | undefined;
  /** Debts that the source had below zero, as a positive sum; they are not brought over. */
  readonly debts: number;
  /** Digests over the keys of the tokens that were found, and of those that are here. */
  readonly tokensHash: { readonly before: string; readonly after: string | undefined };
  /** Tables with rows that stay where they are. */
  readonly left: Readonly<Record<string, number>>;
  readonly ok: boolean;
}

const maxNotes = 20;

/** Gathers what the report tells. */
export interface Tally {
  readonly counts: Record<Kind, Counts>;
  readonly notes: Note[];
  readonly noted: Map<string, number>;
  note(kind: Kind, what: string, key: string | number, detail?: string): void;
}

export function createTally(): Tally {
  const blank = (): Counts => ({ found: 0, imported: 0, known: 0, changed: 0, skipped: 0 });
  const counts = Object.fromEntries(kinds.map((kind) => [kind, blank()])) as Record<Kind, Counts>;
  const notes: Note[] = [];
  const noted = new Map<string, number>();
  return {
    counts,
    notes,
    noted,
    note(kind, what, key, detail = '') {
      const name = `${kind}.${what}`;
      const count = (noted.get(name) ?? 0) + 1;
      noted.set(name, count);
      if (count <= maxNotes) notes.push({ kind, what, key: String(key), detail });
    },
  };
}

/** What each note means, and what to do about it. */
export const meanings: Readonly<Record<string, string>> = {
  'users.negative': 'balance below zero: opened with 0, the debt is not brought over',
  'users.beyond_32_bit': 'figure beyond 32 bits: brought over as it is; look whether it is meant',
  'users.overflow': 'figure that cannot be held exactly: the user was left out',
  'users.bad_json': 'settings are not JSON: left empty',
  'users.deleted': 'deleted there: left out',
  'users.short': 'spent there and here at once: what is missing could not be taken again',
  'users.renamed': 'name is taken here: got a number; such a user signs in with the new name or by e-mail',
  'users.linked': "is this installation's root: balance and tokens went to that account",
  'users.demoted': 'a second root: brought over as administrator',
  'users.default_password': 'has the password that everybody knows: may sign in from this machine only until it is changed',
  'users.password_unusable': 'password is not a bcrypt hash that may be verified: needs a reset',
  'users.invite_code_changed': 'invite code is taken here: got another one',
  'users.second_factor': 'second factor was not brought over: must be set up again',
  'tokens.unusable': 'key cannot be sent by a client of ours: left out',
  'tokens.taken': 'key is here already: left out',
  'tokens.deleted': 'deleted there: left out',
  'tokens.ownerless': 'its user was not brought over: left out',
  'tokens.negative': 'remaining quota below zero: became 0',
  'tokens.overflow': 'figure that cannot be held exactly: the token was left out',
  'tokens.bad_ips': 'an address that cannot be read in its list: came switched off',
  'tokens.bad_json': 'settings are not JSON: came switched off',
  'channels.unmapped_type': 'its type has no counterpart: came as a custom channel, switched off',
  'channels.bad_json': 'JSON that cannot be read: that field is empty, the channel came switched off',
  'channels.review': 'its credential is written in another way here: came switched off, look at its key',
  'channels.refused': 'its fields are not acceptable here: came as a custom channel, switched off',
  'channels.unusable': 'could not be brought over at all',
  'channels.deleted': 'deleted there: left out',
  'channels.own_prices': 'has prices of its own, which are kept per model here: not brought over',
  'options.refused': 'value is not acceptable here: not brought over',
  'options.bad_entry': 'price or ratio that cannot be read: not brought over',
  'options.extra_ratios': 'prices for special tokens: not brought over, enter them by hand',
  'redemptions.used': 'used there: left out',
  'redemptions.unusable': 'code or amount that nobody could redeem: left out',
  'redemptions.taken': 'code is here already: left out',
  'redemptions.expires': 'ends at a time, which codes here do not: came switched off',
  'redemptions.deleted': 'deleted there: left out',
  'redemptions.redeemed_twice': 'was redeemed here and there: look at both users',
  'logs.userless': 'belongs to a user who was not brought over: left out',
};
