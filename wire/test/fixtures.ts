import { readdirSync, readFileSync } from 'node:fs';
import { type chat, clientDialect, type JsonObject, upstreamDialect } from '../src/index.ts';
import { asObject } from '../src/json.ts';

/** What an upstream or a caller of one dialect sends, from `fixtures/<dialect>/`. */
interface Fixture {
  /** `<dialect>/<name>` */
  readonly name: string;
  readonly dialect: chat.UpstreamDialect;
  /** The same, when callers speak it. */
  readonly client: chat.ClientDialect | undefined;
  readonly bytes: Buffer;
}

/** `<name>.request.json` */
export interface RequestFixture extends Fixture {
  readonly client: chat.ClientDialect;
  readonly body: JsonObject;
}

/** `<name>.json`, a whole answer, or `<name>.sse`, a stream. */
export interface AnswerFixture extends Fixture {
  /** The other form of the same answer, where there is one. */
  readonly sibling: Buffer | undefined;
}

/** `<name>.<status>.error.json`; without a status it came with 200. */
export interface ErrorFixture extends Fixture {
  readonly status: number;
}

const root = new URL('../fixtures/', import.meta.url);

/** The folders that hold anything. */
export function fixtureFolders(): string[] {
  return readdirSync(root)
    .filter((folder) => readdirSync(new URL(`${folder}/`, root)).length > 0)
    .sort();
}

const files: readonly Fixture[] = fixtureFolders().flatMap((folder) => {
  const dialect = upstreamDialect(folder);
  if (dialect === undefined) return [];
  return readdirSync(new URL(`${folder}/`, root)).map((file) => ({
    name: `${folder}/${file}`,
    dialect,
    client: clientDialect(folder),
    bytes: readFileSync(new URL(`${folder}/${file}`, root)),
  }));
});

export const requests: readonly RequestFixture[] = files.flatMap((file) => {
  const { client, bytes, name } = file;
  if (client === undefined || !name.endsWith('.request.json')) return [];
  return [{ ...file, client, body: parsed(bytes) }];
});

export const answers: readonly AnswerFixture[] = files
  .filter(({ name }) => name.endsWith('.json') && !/\.(request|error)\.json$/.test(name))
  .map((file) => ({ ...file, sibling: bytesOf(file.name.replace(/\.json$/, '.sse')) }));

export const streams: readonly AnswerFixture[] = files
  .filter(({ name }) => name.endsWith('.sse'))
  .map((file) => ({ ...file, sibling: bytesOf(file.name.replace(/\.sse$/, '.json')) }));

export const failures: readonly ErrorFixture[] = files
  .filter(({ name }) => name.endsWith('.error.json'))
  .map((file) => ({ ...file, status: Number(/\.(\d{3})\.error\.json$/.exec(file.name)?.[1] ?? 200) }));

/** Names of a dialect's fixtures, whatever their form. */
export function namesOf(dialect: string): Set<string> {
  const own = files.filter(({ name }) => name.startsWith(`${dialect}/`));
  return new Set(
    own.map(({ name }) => name.slice(dialect.length + 1).replace(/(\.\d{3})?(\.(request|error))?\.(json|sse)$/, '')),
  );
}

function bytesOf(name: string): Buffer | undefined {
  return files.find((file) => file.name === name)?.bytes;
}

/** A file that holds one JSON object. */
export function parsed(bytes: Buffer): JsonObject {
  const value = asObject(JSON.parse(bytes.toString()));
  if (value === undefined) throw new Error('the fixture is no JSON object');
  return value;
}
