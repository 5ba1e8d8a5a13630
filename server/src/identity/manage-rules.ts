import { type ErrorCode, type ManageAction, role, userStatus } from '@tollgate/contract';
import { commandLine } from '../audit/index.ts';
import type { UserFacts } from './types.ts';
import type { UserRow } from './user-view.ts';

type Actor = Pick<UserFacts, 'id' | 'role'>;
type Target = Pick<UserRow, 'id' | 'role' | 'status' | 'deleted_at'>;

/** only lower levels; root may also edit itself. */
export function mayWrite(actor: Actor, target: Target): boolean {
  return actor.role > target.role || (actor.role === role.root && actor.id === target.id);
}

/** Why an action is refused (contract 1.5), undefined when it is not. Deregistered rows refuse every action. */
export function judgeAction(actor: Actor, target: Target, action: ManageAction): ErrorCode | undefined {
  if (target.deleted_at !== null) return 'user_not_found';
  if (actor.role <= target.role && actor.role !== role.root) return 'user_level_write';
  return rules[action](actor, target);
}

type Rule = (actor: Actor, target: Target) => ErrorCode | undefined;

const rules: Record<ManageAction, Rule> = {
  disable: (_actor, target) => (target.role === role.root ? 'user_root_disable' : lockFault(target)),
  enable: (_actor, target) => (target.role === role.root ? 'user_level_write' : lockFault(target)),
  delete: (_actor, target) => (target.role === role.root ? 'user_root_delete' : undefined),
  promote: (actor, target) => {
    if (actor.role !== role.root) return 'user_promote_denied';
    return target.role >= role.admin ? 'user_is_admin' : undefined;
  },
  demote: (_actor, target) => {
    if (target.role === role.root) return 'user_root_demote';
    return target.role === role.common ? 'user_is_common' : undefined;
  },
  // Root's own is switched off by its codes, and by whoever is at the machine: else a stolen session would be enough.
  reset_second_factor: (actor, target) =>
    target.role === role.root && actor.id !== commandLine.id ? 'user_level_write' : undefined,
};

/** Status 3 is left by nothing that an administrator does. */
function lockFault({ status }: Target): ErrorCode | undefined {
  return status === userStatus.locked ? 'user_locked' : undefined;
}
