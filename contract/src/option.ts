import * as z from 'zod/mini';
import { countedPage } from './fields.ts';
import { data, defineRoute, type PageOf } from './route.ts';

/** One row of GET /api/option/. Secrets come as "" with `is_set`. */
export interface OptionRow {
  key: string;
  value: string;
  is_set?: boolean;
  /** What is in force while nothing is stored; absent for secrets. */
  default?: string;
  /** Of a number. */
  min?: number;
  max?: number;
  whole?: boolean;
  /** Of an option that is one of several. */
  choices?: string[];
}

/** One entry of an option that a save changed. JSON maps by their entries; long texts are cut. */
export interface OptionDiff {
  option: string;
  /** Entry of a map; "" for the whole option. */
  name: string;
  /** Texts; "" = there was or is none. Both "" for secrets. */
  from: string;
  to: string;
  secret?: true;
}

/** One save of options. */
export interface OptionVersion {
  id: number;
  author_id: number;
  author: string;
  created_at: number;
  /** `undo:3`, `rollback:3`, `reset`, `sync:...`; "" = by hand. */
  note: string;
  changed: number;
  /** The first 1,000. */
  diff: OptionDiff[];
  /** The options that going back restores; empty where only secrets were changed. */
  restores: string[];
}

const optionText = z.string().check(z.maxLength(262_144));
const optionChange = z.object({
  key: z.string().check(z.minLength(1), z.maxLength(100)),
  value: z.union([optionText, z.number(), z.boolean()]),
  /** The text that the editor was filled with: where the option has another by now, nothing of the save is done. */
  seen: z.optional(optionText),
});

export const optionRoutes = {
  list: defineRoute({ method: 'GET', path: '/api/option', access: 'root', data: data<OptionRow[]>() }),
  /** One key, or several as one transaction (rulings 26). */
  save: defineRoute({
    method: 'PUT',
    path: '/api/option',
    access: 'root',
    body: z.union([optionChange, z.array(optionChange).check(z.minLength(1), z.maxLength(200))]),
    data: data<undefined>(),
  }),
  /** Newest first; `key` = only saves that changed this option. */
  history: defineRoute({
    method: 'GET',
    path: '/api/option/history',
    access: 'root',
    query: z.object({
      ...countedPage,
      key: z._default(z.string().check(z.maxLength(100)), ''),
    }),
    data: data<PageOf<OptionVersion>>(),
  }),
  /** Gives the options of this save the values that they had before it; a save of its own. Secrets stay as they are. */
  rollback: defineRoute({
    method: 'POST',
    path: '/api/option/rollback',
    access: 'root',
    body: z.object({ id: z.int().check(z.minimum(1)) }),
    data: data<undefined>(),
  }),
  /** A mail to this address by the saved mail settings. */
  testMail: defineRoute({
    method: 'POST',
    path: '/api/option/test_mail',
    access: 'root',
    body: z.object({ to: z.email().check(z.maxLength(254)) }),
    data: data<undefined>(),
  }),
} as const;
