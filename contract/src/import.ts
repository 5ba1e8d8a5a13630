import * as z from 'zod/mini';
import { data, defineRoute } from './route.ts';

const importModes = ['dry-run', 'import', 'delta'] as const;
/** Look only; bring what is new; bring also what changed there since. */
export type ImportMode = (typeof importModes)[number];

/** In the order in which they come. */
export const importKinds = ['options', 'users', 'tokens', 'channels', 'redemptions', 'logs'] as const;
export type ImportKind = (typeof importKinds)[number];

/** What became of the rows of one kind. */
export interface ImportCounts {
  found: number;
  /** New here, or in a dry run: that would be. */
  imported: number;
  /** Here already, and as they were. */
  known: number;
  /** Changed at the source since; brought over by a delta. */
  changed: number;
  /** Not brought over; the remarks say why. */
  skipped: number;
}

/** Quota. */
export interface ImportTotals {
  balance: number;
  used: number;
  affiliate: number;
}

/** Something that an operator should know of. */
export interface ImportRemark {
  kind: ImportKind;
  /** In the language of the request. */
  meaning: string;
  count: number;
  /** Rows of the source, the first of them: id or name, and what is the matter. */
  examples: string[];
}

export interface ImportReport {
  product: string;
  mode: ImportMode;
  counts: Record<ImportKind, ImportCounts>;
  remarks: ImportRemark[];
  /** What the source's users have, and what was opened here for them, read back from the ledger; null after a dry run. */
  before: ImportTotals;
  after: ImportTotals | null;
  /** Debts below zero at the source, as a positive sum; they are not brought over. */
  debts: number;
  /** Tables with rows that stay where they are. */
  left: Record<string, number>;
  /** Sums and keys here equal those there. */
  ok: boolean;
}

/** The import that is under way or was the last one, on whichever node. */
export interface ImportRun {
  running: boolean;
  mode: ImportMode;
  /** Unix seconds; 0 = not yet. */
  started_at: number;
  finished_at: number;
  /** How far it is, while it runs. */
  kind: ImportKind | null;
  done: number;
  found: number;
  /** Why it ended before its end; "" = it did not. What came until then stays, and the next run goes on there. */
  failure: string;
  report: ImportReport | null;
}

const startBody = z.object({
  /** A file on the server or the address of a database; only read. */
  from: z.string().check(z.trim(), z.minLength(1), z.maxLength(2000)),
  mode: z.enum(importModes),
});

export const importRoutes = {
  /** null: there was none yet. */
  state: defineRoute({ method: 'GET', path: '/api/import', access: 'root', data: data<ImportRun | null>() }),
  start: defineRoute({
    method: 'POST',
    path: '/api/import',
    access: 'root',
    sessionOnly: true,
    body: startBody,
    data: data<ImportRun | null>(),
  }),
  /** Ends the run on this node after what it is at; the next one goes on there. */
  cancel: defineRoute({
    method: 'POST',
    path: '/api/import/cancel',
    access: 'root',
    sessionOnly: true,
    data: data<ImportRun | null>(),
  }),
} as const;
