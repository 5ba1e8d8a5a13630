import { type ManageAction, role, type User, userStatus } from '@tollgate/contract';
import type { Session } from '../../api/session.ts';
import {
  users_status_active,
  users_status_banned,
  users_status_gone,
  users_status_locked,
  users_status_locked_tip,
  users_status_unknown,
} from '../../i18n/generated/messages.ts';
import type { Tone } from '../../ui/Badge.tsx';

type Shown = Pick<User, 'status' | 'DeletedAt'>;
export const isGone = (user: Pick<User, 'DeletedAt'>): boolean => user.DeletedAt !== null;

/** Word and colour of a user's state. */
export function statusOf(user: Shown): { text: string; tone: Tone; tip?: string } {
  if (isGone(user)) return { text: users_status_gone(), tone: 'grey' };
  switch (user.status) {
    case userStatus.enabled:
      return { text: users_status_active(), tone: 'ok' };
    case userStatus.disabled:
      return { text: users_status_banned(), tone: 'bad' };
    case userStatus.locked:
      return { text: users_status_locked(), tone: 'warn', tip: users_status_locked_tip() };
    default:
      return { text: users_status_unknown(), tone: 'grey' };
  }
}

type Actor = Pick<Session, 'id' | 'role'> | undefined;

/** Only lower roles may be edited; root may also edit itself. */
export function mayEdit(actor: Actor, user: User): boolean {
  if (!actor || isGone(user)) return false;
  return actor.role > user.role || (actor.role === role.root && actor.id === user.id);
}

/** What this administrator can do to this user now, in the order of the menu; the server decides. */
export function actionsFor(actor: Actor, user: User): ManageAction[] {
  if (!actor || isGone(user) || user.role >= actor.role) return [];
  const actions: ManageAction[] = [];
  if (actor.role === role.root) actions.push(user.role >= role.admin ? 'demote' : 'promote');
  actions.push(user.status === userStatus.enabled ? 'disable' : 'enable', 'reset_second_factor', 'delete');
  return actions;
}

/** Locked users can neither be enabled nor disabled. */
export const isLocked = (user: User): boolean => user.status === userStatus.locked;
