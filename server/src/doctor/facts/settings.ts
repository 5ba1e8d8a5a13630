import { role, userStatus } from '@tollgate/contract';
import { createSettings, type Options, type SettingsDeps } from '../../settings/index.ts';
import type { World } from '../world.ts';

export interface SettingFacts {
  readonly options: Options;
  /** Stored values that cannot be read. */
  readonly unreadable: readonly string[];
  /** A super administrator gets in by a passkey, whatever else is open. */
  readonly rootHasPasskey: boolean;
}

export async function gatherSettings({ settings, db }: World): Promise<SettingFacts> {
  const passkey = await db.read
    .selectFrom('passkey')
    .innerJoin('users', 'users.id', 'passkey.user_id')
    .select('passkey.id')
    .where('users.role', '=', role.root)
    .where('users.status', '=', userStatus.enabled)
    .where('users.deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return { ...(await settings()), rootHasPasskey: passkey !== undefined };
}

/** The options as they lie in the database, whatever a running server has in its memory. */
export async function readStoredOptions(
  deps: Pick<SettingsDeps, 'db' | 'clock' | 'crypto'>,
): Promise<Pick<SettingFacts, 'options' | 'unreadable'>> {
  const unreadable: string[] = [];
  const settings = await createSettings({
    ...deps,
    changes: { notify: () => undefined },
    warn: ({ option }) => void unreadable.push(option),
  });
  return { options: settings.current(), unreadable };
}
