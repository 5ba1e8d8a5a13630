import { describe, expect, test } from 'vitest';
import { renameFunctions } from '../src/chat/function-names.ts';
import type { ChatRequest } from '../src/chat/request.ts';
import { chat, clientDialects, type JsonObject, openaiResponses, upstreamDialect } from '../src/index.ts';
import { fixtureFolders } from './fixtures.ts';
import { decodeRequest } from './scenes.ts';

/**
 * A caller may send a million small pieces in one request, and while they are brought to another dialect nobody else is
 * answered. Whoever looks at all earlier pieces for each one takes minutes for these conversations.
 */
export const many = 60_000;
/** More than a call takes arguments. */
export const tooMany = 200_000;
/** As for 100,000 in five seconds: a nanosecond for each time that one is compared with an earlier one, which takes several. */
const mostMs = 1_800;

export const pieces = (make: (k: number) => JsonObject, count = many) => Array.from({ length: count }, (_, k) => make(k));
export const name = (k: number) => `f${k % 3}`;
/** Members of an object. */
export const numbered = (letter: string) => Object.fromEntries(Array.from({ length: many }, (_, k) => [`${letter}${k}`, k]));
export const asText = (role: string) => (k: number) => ({ role, content: `${k}` });
export const block = (k: number) => ({ type: 'text', text: `${k}` });

const upstreams = fixtureFolders().flatMap((folder) => upstreamDialect(folder) ?? []);
export const clients = new Map(clientDialects.map((dialect) => [dialect.name, dialect]));

/** By the processor time of this thread: others use the machine as well. */
export function timed<T>(what: string, slow: string[], mostMs: number, work: () => T): T {
  const from = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(from);
  const took = (user + system) / 1000;
  if (took > mostMs) slow.push(`${what}: ${Math.round(took)} ms`);
  return result;
}

/** As the relay does: what may be called and its names first, where the target does not take all of them. */
function encoded(request: ChatRequest, to: chat.UpstreamDialect) {
  const offered = to.namesAllowed === true ? request : chat.onlyAllowed(request);
  const plain = openaiResponses.withoutNamespaces(offered)?.request ?? offered;
  const renamed = to.functionNames && renameFunctions(plain, to.functionNames);
  return to.encodeRequest(renamed?.request ?? plain, { model: 'm', defaultMaxTokens: 4096, extensions: chat.everyExtension });
}

/** Conversations of one dialect by what there is much of, as its callers spell them. */
export function broughtInAMoment(dialect: string, conversations: Readonly<Record<string, JsonObject>>): void {
  const client = clients.get(dialect);
  if (client === undefined) throw new Error(`no callers speak ${dialect}`);
  describe(dialect, () => {
    test.each(Object.entries(conversations))(
      'much of one thing is brought to every dialect in a moment: %s',
      (_, body) => {
        const slow: string[] = [];
        const request = timed('read', slow, mostMs, () => decodeRequest(client, { model: 'm', ...body }));
        for (const to of upstreams) timed(`to ${to.name}`, slow, mostMs, () => JSON.stringify(encoded(request, to).body));
        expect(slow).toEqual([]);
      },
      120_000,
    );
  });
}
