import { role } from '@tollgate/contract';
import { role_admin, role_common, role_root, role_unknown } from '../i18n/generated/messages.ts';
import type { Tone } from './Badge.tsx';

/** Word and colour of a user's role. */
export function roleOf(userRole: number): { text: string; tone: Tone } {
  switch (userRole) {
    case role.common:
      return { text: role_common(), tone: 'accent' };
    case role.admin:
      return { text: role_admin(), tone: 'warn' };
    case role.root:
      return { text: role_root(), tone: 'violet' };
    default:
      return { text: role_unknown(), tone: 'bad' };
  }
}
