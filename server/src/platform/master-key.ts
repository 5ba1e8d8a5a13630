import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { EnvironmentError } from '../env.ts';
import { useDataFolder } from './data-folder.ts';
import { createFile } from './durable.ts';

export interface MasterKeySource {
  readonly SECRET_KEY: string | undefined;
  readonly SECRET_KEY_FILE: string | undefined;
  readonly DATA_DIR: string;
}

const keyFile = 'secret.key';

const fileAdvice = 'Put it there, readable by the user of this process';
const ownFileAdvice = `${fileAdvice}, or name it with SECRET_KEY_FILE; the first start makes it`;

/**
 * The 32 bytes all other keys derive from: from the environment, a file, or, for the embedded default, a file in the
 * data folder that the first start creates (0600, rulings 27). Throws EnvironmentError.
 */
export async function loadMasterKey(source: MasterKeySource): Promise<Buffer> {
  await createKeyFile(source);
  return readMasterKey(source);
}

/** The same for tools that only look: a missing file is an error, never a new key. */
export async function readMasterKey({ SECRET_KEY, SECRET_KEY_FILE, DATA_DIR }: MasterKeySource): Promise<Buffer> {
  if (SECRET_KEY !== undefined) return parse(SECRET_KEY, 'SECRET_KEY');
  const file = SECRET_KEY_FILE ?? path.join(DATA_DIR, keyFile);
  const named = SECRET_KEY_FILE === undefined ? file : `SECRET_KEY_FILE=${file}`;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    const text = `The master key cannot be read from ${named}: ${reason}. ${SECRET_KEY_FILE === undefined ? ownFileAdvice : fileAdvice}`;
    throw new EnvironmentError([text]);
  });
  return parse(text, named);
}

async function createKeyFile({ SECRET_KEY, SECRET_KEY_FILE, DATA_DIR }: MasterKeySource): Promise<void> {
  if (SECRET_KEY !== undefined || SECRET_KEY_FILE !== undefined) return;
  const file = path.join(DATA_DIR, keyFile);
  useDataFolder(DATA_DIR);
  if (!existsSync(file)) createFile(file, `${randomBytes(32).toString('hex')}\n`);
}

function parse(text: string, source: string): Buffer {
  const trimmed = text.trim();
  const key = /^[0-9a-fA-F]{64}$/.test(trimmed) ? Buffer.from(trimmed, 'hex') : Buffer.from(trimmed, 'base64');
  if (key.length !== 32) throw new EnvironmentError([`${source} does not hold 32 bytes as hex or base64`]);
  return key;
}
