import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type ClientDialect, everyExtension, type UpstreamDialect } from '../src/chat/dialect.ts';
import { foldEvents } from '../src/chat/fold.ts';
import { nameJson } from '../src/chat/json-mode.ts';
import type { Part } from '../src/chat/parts.ts';
import type { ChatRequest } from '../src/chat/request.ts';
import { clientDialect, clientDialects } from '../src/index.ts';
import { answers, failures, parsed, requests, streams } from './fixtures.ts';
import { answersMeaning, figures, instructions, saidBy, settings, toolTurns, withoutCalls, withoutSound } from './meaning.ts';
import { answerContext, answerOf, crossingTap, decodeRequest, eventsOf, requestOf, runTap } from './scenes.ts';

const upstreams: readonly UpstreamDialect[] = [
  ...new Map(
    [...clientDialects, ...[...answers, ...streams].map(({ dialect }) => dialect)].map((dialect) => [dialect.name, dialect]),
  ).values(),
];

/** As the relay does: what the target does not take by address is fetched and put in. */
function inlined(request: ChatRequest, { mediaByUrl }: UpstreamDialect): ChatRequest {
  const inline = (part: Part): Part => {
    if (part.kind === 'tool-result') return { ...part, content: part.content.map(inline) } as Part;
    if ((part.kind !== 'image' && part.kind !== 'file') || part.source.at !== 'url' || mediaByUrl.includes(part.kind))
      return part;
    const mediaType = part.source.mediaType ?? (part.kind === 'image' ? 'image/png' : 'application/pdf');
    return { ...part, source: { at: 'inline', mediaType, base64: 'iVBORw0KGgo=' } };
  };
  return { ...request, messages: request.messages.map((message) => ({ ...message, parts: message.parts.map(inline) })) };
}

const requestCrossings = requests.flatMap((fixture) =>
  upstreams
    .filter((to) => to.name !== fixture.dialect.name && to.promptOnly !== true)
    .map((to) => ({ fixture, to, title: `${fixture.name} to ${to.name}` })),
);

describe('requests cross', () => {
  test.each(requestCrossings)('$title', ({ fixture, to }) => {
    const request = inlined(requestOf(fixture), to);
    const { body, losses } = to.encodeRequest(request, { model: 'upstream-model', defaultMaxTokens: 8192 });
    to.encodeRequest(request, { model: 'upstream-model', defaultMaxTokens: 8192, extensions: everyExtension });
    expect(losses).toEqual([...new Set(losses)]);
    const target = clientDialect(to.name);
    if (target === undefined) return;
    const onWire = parsed(Buffer.from(JSON.stringify(body)));
    const again = decodeRequest(target, onWire, { model: 'upstream-model', stream: request.stream });
    expect(again.model).toBe('upstream-model');
    expect(again.stream).toBe(request.stream);
    expect(instructions(again)).toBe(instructions(to.name.startsWith('openai-') ? nameJson(request) : request));
    expect(saidBy(again.messages, 'user')).toBe(saidBy(request.messages, 'user'));
    expect(saidBy(again.messages, 'assistant')).toBe(saidBy(request.messages, 'assistant'));
    expect(toolTurns(again.messages)).toEqual(toolTurns(request.messages));
    expect(undeclared(request, again, losses)).toEqual([]);
  });
});

/** The settings that did not arrive although nobody said so. */
function undeclared(before: ChatRequest, after: ChatRequest, losses: readonly string[]): string[] {
  return settings.flatMap(({ words, of, silent = [] }) => {
    const value = of(before);
    const means = value !== undefined && !silent.some((nothing) => isDeepStrictEqual(nothing, value));
    const arrived = !means || isDeepStrictEqual(of(after), value) || words.some((word) => losses.includes(word));
    return arrived ? [] : [`${words[0]}: ${JSON.stringify(value)} became ${JSON.stringify(of(after))}`];
  });
}

function toClients<T extends { readonly name: string; readonly dialect: UpstreamDialect }>(fixtures: readonly T[]) {
  return fixtures.flatMap((fixture) =>
    clientDialects
      .filter((to) => to.name !== fixture.dialect.name)
      .map((to) => ({ fixture, to, title: `${fixture.name} to ${to.name}` })),
  );
}

describe('whole answers cross', () => {
  test.each(toClients(answers))('$title', ({ fixture, to }) => {
    const response = answerOf(fixture);
    const { body, losses } = to.encodeResponse(response, answerContext);
    const onWire = parsed(Buffer.from(JSON.stringify(body)));
    const again = to.decodeResponse(onWire);
    expect(to.readFailure(onWire)).toBeUndefined();
    expectSame(response, again, losses);
  });
});

function expectSame(before: ReturnType<typeof answerOf>, after: typeof before, losses: readonly string[]) {
  const told = losses.includes('tools') ? withoutCalls(before) : before;
  const kept = losses.includes('choices') ? { ...told, answers: told.answers.slice(0, 1) } : told;
  const sounds = after.answers.some(({ parts }) => parts.some(({ kind }) => kind === 'audio'));
  // What is said in sound may become text, or stay sound without its transcript.
  const meanings = [kept, ...(losses.includes('audio') || sounds ? [withoutSound(kept)] : [])].map(answersMeaning);
  expect(meanings).toContainEqual(answersMeaning(sounds ? withoutSound(after) : after));
  expect(figures(after.usage)).toEqual(figures(before.usage) ?? (after.usage && figures(after.usage)));
  const lost = (words: readonly string[], has: (part: Part) => boolean) => {
    const count = (response: typeof before) => response.answers.flatMap(({ parts }) => parts).filter(has).length;
    if (count(kept) > 0 && count(after) === 0 && !words.some((word) => losses.includes(word)))
      throw new Error(`${words[0]} was lost silently`);
  };
  lost(['citations'], (part) => part.kind === 'text' && part.citations !== undefined);
  lost(['reasoning', 'reasoning_signature'], ({ kind }) => kind === 'reasoning');
  lost(['image'], ({ kind }) => kind === 'image');
  lost(['audio'], ({ kind }) => kind === 'audio');
  const hasLogprobs = ({ answers }: typeof before) => answers.some(({ logprobs }) => logprobs !== undefined);
  if (hasLogprobs(kept) && !hasLogprobs(after)) expect(losses).toContain('logprobs');
}

describe('streams cross', () => {
  test.each(toClients(streams))('$title', ({ fixture, to }) => {
    const { dialect, bytes } = fixture;
    const choices = fixture.sibling === undefined ? 1 : dialect.decodeResponse(parsed(fixture.sibling)).answers.length;
    const { out, report } = runTap(crossingTap(dialect, to, { swallowUsage: false, choices }), [bytes]);
    const events = eventsOf(to, out);
    const before = foldEvents(eventsOf(dialect, bytes));
    const after = foldEvents(events);
    if (report.error !== undefined) return expectError(to, out, report.error.message);
    expect(events.some(({ kind }) => kind === 'error' || kind === 'malformed')).toBe(false);
    if (fixture.sibling !== undefined) {
      const whole = to.encodeResponse(dialect.decodeResponse(parsed(fixture.sibling)), answerContext);
      expect(report.complete).toBe(true);
      expect([...report.losses].sort()).toEqual([...whole.losses].sort());
    }
    if (!report.complete) return;
    const usage = before.usage ?? after.usage;
    expectSame(usage === undefined ? before : { ...before, usage }, after, report.losses);
  });
});

/** Nothing at all when it failed before content began. */
function expectError(to: ClientDialect, out: Buffer, message: string) {
  if (out.length === 0) return;
  const last = eventsOf(to, out).at(-1);
  expect(last?.kind === 'error' ? last.error.message : last).toBe(message);
}

describe('errors cross', () => {
  test.each(toClients(failures))('$title', ({ fixture: { dialect, status, bytes }, to }) => {
    const error = status === 200 ? dialect.readFailure(parsed(bytes)) : dialect.readError(status, bytes);
    if (error === undefined) throw new Error('no error');
    const http = status === 200 ? 502 : status;
    expect(to.readError(http, Buffer.from(to.errorBody(error, http))).message).toBe(error.message);
    expectError(to, to.errorFrame(error, http), error.message);
  });
});
