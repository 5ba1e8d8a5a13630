import { never, role, tokenStatus, userStatus } from '@tollgate/contract';
import { isRegistrationOpen } from '../../settings/index.ts';
import type { World } from '../world.ts';
import { named } from './named.ts';

export interface PeopleFacts {
  readonly defaultPasswords: readonly string[];
  /** Administrators with neither a confirmed second factor nor a passkey. */
  readonly adminsWithoutSecondFactor: readonly string[];
  /** Their tokens that never end and spend without limit. */
  readonly boundlessAdminTokens: readonly string[];
  readonly activeRoots: number;
  readonly unknownGroups: readonly string[];
  /** Root can be told of nothing. */
  readonly deafRoots: readonly string[];
  /** What whoever registers gets, and what is asked of them. */
  readonly registration: {
    readonly isOpen: boolean;
    readonly gift: number;
    readonly isChecked: boolean;
  };
}

export async function gatherPeople({ db: { read }, settings }: World): Promise<PeopleFacts> {
  const { options } = await settings();
  const admins = () =>
    read
      .selectFrom('users')
      .select('users.username as name')
      .where('users.role', '>=', role.admin)
      .where('users.deleted_at', 'is', null)
      .orderBy('users.id');
  const groups = await read.selectFrom('users').select('group_name').distinct().where('deleted_at', 'is', null).execute();
  const roots = await read
    .selectFrom('users')
    .select(['username', 'status', 'email', 'setting'])
    .where('role', '=', role.root)
    .where('deleted_at', 'is', null)
    .execute();
  return {
    defaultPasswords: await named(admins().where('users.default_password', '=', 1)),
    adminsWithoutSecondFactor: await named(
      admins()
        .leftJoin('totp', (join) => join.onRef('totp.user_id', '=', 'users.id').on('totp.confirmed', '=', 1))
        .leftJoin('passkey', 'passkey.user_id', 'users.id')
        .where('users.status', '=', userStatus.enabled)
        .where('totp.user_id', 'is', null)
        .where('passkey.user_id', 'is', null),
    ),
    boundlessAdminTokens: await named(
      read
        .selectFrom('token')
        .innerJoin('users', 'users.id', 'token.user_id')
        .select('token.name as name')
        .where('users.role', '>=', role.admin)
        .where('users.deleted_at', 'is', null)
        .where('token.deleted_at', 'is', null)
        .where('token.status', '=', tokenStatus.enabled)
        .where('token.expired_at', '=', never)
        .where('token.unlimited_quota', '=', 1)
        .where('token.model_limits_enabled', '=', 0)
        .where('token.allow_ips', '=', ''),
    ),
    activeRoots: roots.filter(({ status }) => status === userStatus.enabled).length,
    unknownGroups: groups.map(({ group_name }) => group_name).filter((group) => !options.GroupRatio.has(group)),
    deafRoots: roots
      .filter(({ email, setting }) => !hasAddress(setting) && (options.SMTPServer === '' || !hasMailAddress(email, setting)))
      .map(({ username }) => username),
    registration: {
      isOpen: isRegistrationOpen(options) && options.PasswordRegisterEnabled,
      gift: options.QuotaForNewUser,
      isChecked: options.EmailVerificationEnabled || options.TurnstileCheckEnabled,
    },
  };
}

/** Any place where a notification could arrive, but for mail, which wants a server. */
function hasAddress(setting: string): boolean {
  return /"(webhook_url|wxpusher_uid|wecom_key|dingtalk_key)":\s*"[^"]/.test(setting);
}

function hasMailAddress(email: string | null, setting: string): boolean {
  return (email ?? '') !== '' || /"notification_email":\s*"[^"]/.test(setting);
}
