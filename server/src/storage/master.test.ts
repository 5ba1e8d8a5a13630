import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newFolder } from '../../test/cli-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { giveToken } from '../../test/ledger-kit.ts';
import { EnvironmentError, readEnv } from '../env.ts';
import { openStorage } from '../main-storage.ts';
import { createCrypto, keyId } from '../platform/crypto.ts';
import { readMasterKey } from '../platform/master-key.ts';
import type { Database } from './database.ts';
import { masterKeyOf, openCrypto } from './master.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';

const [right, wrong] = ['07', 'cd'].map((byte) => Buffer.from(byte.repeat(32), 'hex')) as [Buffer, Buffer];
const nowhere = { SECRET_KEY: undefined, SECRET_KEY_FILE: undefined };

async function sealToken(db: Database, key: Buffer): Promise<void> {
  const id = await giveToken(db, 1, { remain: 0, unlimited: true });
  const key_sealed = createCrypto(key).seal('secret', 'token/key/1/k');
  await db.transaction(({ query }) => query.updateTable('token').set({ key_sealed }).where('id', '=', id).execute());
}

onEachEngine((_engine, open, { place }) => {
  test('a key file is made while nothing is sealed, and never beside secrets', async () => {
    const where = await place({ isEmpty: true });
    const source = { ...nowhere, DATA_DIR: newFolder() };
    const file = join(source.DATA_DIR, 'secret.key');
    const unused = await openStorage(
      readEnv({ DATABASE_URL: where.url, DATA_DIR: where.dataDir, SECRET_KEY: right.toString('hex') }),
    );
    const made = await masterKeyOf(unused, source).finally(() => unused.close());
    expect([readFileSync(file, 'utf8').trim(), statSync(file).mode & 0o777]).toEqual([made.toString('hex'), 0o600]);
    const db = await open({ place: where });
    expect(await masterKeyOf(db, source)).toEqual(made);
    const elsewhere = { ...nowhere, DATA_DIR: newFolder() };
    expect(await masterKeyOf(db, elsewhere)).not.toEqual(made);
    await sealToken(db, made);
    expect(await masterKeyOf(db, source)).toEqual(made);
    const lost = { ...nowhere, DATA_DIR: newFolder() };
    const refusal = await masterKeyOf(db, lost).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EnvironmentError);
    expect(String(refusal)).toContain(join(lost.DATA_DIR, 'secret.key'));
    expect(String(refusal)).toContain(`wants the master key ${keyId(made)}`);
    expect(existsSync(join(lost.DATA_DIR, 'secret.key'))).toBe(false);
  });

  test('another key is refused by both ids, also by what was sealed before the first migration that is pending', async () => {
    const where = await place({ isEmpty: true });
    const env = readEnv({ DATABASE_URL: where.url, DATA_DIR: where.dataDir, SECRET_KEY: right.toString('hex') });
    const db = await openStorage(env);
    try {
      await migrate(db, migrations.slice(0, 1));
      const text = createCrypto(right).seal('sk-upstream', 'channel/key/1');
      await db.transaction(({ query }) =>
        sql`INSERT INTO channel (type, key_sealed, status, name, created_at) VALUES (1, ${text}, 1, 'up', 1)`.execute(query),
      );
      expect(await masterKeyOf(db, env)).toEqual(right);
      const refusal = masterKeyOf(db, { ...env, SECRET_KEY: wrong.toString('hex') });
      await expect(refusal).rejects.toThrow(EnvironmentError);
      await expect(refusal).rejects.toThrow(`it wants ${keyId(right)}, and this is ${keyId(wrong)}`);
    } finally {
      await db.close();
    }
  });

  test('a key under which some of the secrets lie goes on being taken', async () => {
    const db = await open();
    await sealToken(db, right);
    await expect(openCrypto(db, wrong)).rejects.toThrow('not the master key');
    await sealToken(db, wrong);
    await expect(openCrypto(db, wrong)).resolves.toBeDefined();
    await expect(openCrypto(db, right)).resolves.toBeDefined();
  });
});

test('a key that cannot be read is told with its variable, its file and what to do', async () => {
  const told = (SECRET_KEY_FILE: string | undefined, DATA_DIR = '/none') =>
    readMasterKey({ SECRET_KEY: undefined, SECRET_KEY_FILE, DATA_DIR }).catch(({ message }: Error) => message);
  const advice = 'Put it there, readable by the user of this process';
  expect(await told('/')).toMatch(new RegExp(`^The master key cannot be read from SECRET_KEY_FILE=/: EISDIR.*\\. ${advice}$`));
  expect(await told(undefined)).toMatch(
    new RegExp(`cannot be read from /none/secret.key: ENOENT.*\\. ${advice}, or name it with`),
  );
  const here = fileURLToPath(import.meta.url);
  expect(await told(here)).toBe(`SECRET_KEY_FILE=${here} does not hold 32 bytes as hex or base64`);
});
