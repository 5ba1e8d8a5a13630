import type { DoctorGroup } from '@tollgate/contract';
import type { Facts } from './facts.ts';

/** Chinese and English. */
export type Text = readonly [zh: string, en: string];

/** What is not as it should be. */
export interface Finding {
  readonly level: 'warn' | 'fail';
  readonly found: Text;
  /** Instead of the check's own. */
  readonly fix?: Text;
}

/** One thing that can be wrong: pure over what was gathered. */
export interface Check<Group extends DoctorGroup = DoctorGroup> {
  readonly group: Group;
  /** As answers and tests name it; never changes. */
  readonly id: string;
  readonly title: Text;
  /** Why it matters. */
  readonly means: Text;
  /** A command, or a place in the console. */
  readonly fix: Text;
  /** Undefined = it is as it should be. */
  readonly judge: (facts: Facts[Group]) => Finding | undefined;
  /** What is told of it also when it is as it should be. */
  readonly shown?: (facts: Facts[Group]) => Text | undefined;
}

/** A table of checks over one group of facts. */
export function checksOf<Group extends DoctorGroup>(
  group: Group,
  table: Readonly<Record<string, Omit<Check<Group>, 'group' | 'id'>>>,
): Check<Group>[] {
  return Object.entries(table).map(([id, rest]) => ({ group, id, ...rest }));
}

/** May go on so, and should not. */
export const warn = (zh: string, en: string): Finding => ({ level: 'warn', found: [zh, en] });
/** Something does not work, is not safe or loses money. */
export const fail = (zh: string, en: string): Finding => ({ level: 'fail', found: [zh, en] });
/** The finding where it holds. */
export const when = (holds: boolean, finding: Finding): Finding | undefined => (holds ? finding : undefined);

const namedAtMost = 5;

/** The first few of many. */
export function few(names: readonly (string | number)[]): string {
  const shown = names.slice(0, namedAtMost).join(', ');
  return names.length > namedAtMost ? `${shown}, … (${names.length})` : shown;
}
