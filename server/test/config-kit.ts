import { commandLine } from '../src/audit/index.ts';
import { applyConfig, exportConfig, type Plan, planFor, readConfig, readPresent, type SecretForm } from '../src/config/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createCrypto } from '../src/platform/crypto.ts';
import { createChannels } from '../src/routing/index.ts';
import { createSettings } from '../src/settings/index.ts';
import type { Database } from '../src/storage/database.ts';

export const configSecretKey = '07'.repeat(32);

/** A database's configuration, written as the console writes it and read as a file. */
export async function createConfigKit(db: Database, env: Record<string, string> = {}) {
  const crypto = createCrypto(Buffer.from(configSecretKey, 'hex'));
  const deps = { db, clock: systemClock, crypto, changes: { notify: () => undefined } };
  const read = (text: string) => readConfig(text, { crypto, env });
  const configTables = ['ability', 'channel_key', 'channel_event', 'channel', 'option'] as const;
  return {
    crypto,
    channels: createChannels(deps),
    settings: await createSettings({ ...deps, warn: () => undefined }),
    export: async (secrets: SecretForm = 'sealed') => exportConfig(await readPresent(db.read, crypto), { secrets, crypto }),
    plan: async (text: string, prune = false): Promise<Plan> =>
      planFor(await readPresent(db.read, crypto), read(text), { prune }).plan,
    apply: (text: string, prune = false) => applyConfig({ db, clock: systemClock, actor: commandLine }, read(text), { prune }),
    wipe: () =>
      db.transaction(async (tx) => {
        for (const table of configTables) await tx.query.deleteFrom(table).execute();
      }),
    rows: () => db.read.selectFrom('channel').selectAll().orderBy('id').execute(),
  };
}
