import { existsSync, readdirSync } from 'node:fs';
import { chat, upstreamDialect } from '@tollgate/wire';
import { describe, expect, test } from 'vitest';
import { fixture, fixtureRoot, framedFixture } from '../../test/fixture-kit.ts';
import { ask, readyChannel, streamed, tradingTools } from '../../test/record-kit.ts';
import { providers } from './registry.ts';

const spoken = providers.flatMap(({ type, name, paths, dialectsOf, models }) => {
  const chats = Object.keys(paths).filter(
    (protocol) => protocol !== 'openai-completions' && upstreamDialect(protocol) !== undefined,
  );
  return chats.map((dialect) => {
    const model = models.find((each) => dialectsOf?.(each).includes(dialect) ?? true) ?? 'm';
    return { type, name, dialect, model };
  });
});

test('every record that converses is here', () => {
  expect(spoken.length).toBeGreaterThan(60);
  expect(spoken.every(({ dialect }) => existsSync(new URL(`${dialect}/text.sse`, fixtureRoot)))).toBe(true);
});

describe.each(spoken)('type $type ($name) in $dialect', ({ type, dialect, model }) => {
  const other = dialect === 'anthropic-messages' ? 'openai-chat' : 'anthropic-messages';
  /** Both in its own dialect, where callers speak that, and from another one. */
  const callers = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'].filter(
    (protocol) => protocol === dialect || protocol === other,
  );
  const bodies: Readonly<Record<string, object>> = {
    'openai-chat': { model, messages: [{ role: 'user', content: 'hi' }] },
    'openai-responses': { model, input: 'hi' },
    'anthropic-messages': { model, max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] },
    'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  };
  const only = (protocol: string) => {
    const provider = providers.find((each) => each.type === type);
    if (provider === undefined) throw new Error('no record');
    const { [dialect]: place } = provider.paths;
    // A caller from elsewhere is brought to the dialect that is looked at, whatever else the record speaks.
    return protocol === dialect ? provider : { ...provider, paths: { [dialect]: place }, dialectsOf: undefined };
  };
  const call = (protocol: string, stream: boolean) =>
    ask({
      type,
      provider: only(protocol),
      protocol,
      body: { ...bodies[protocol], ...(protocol === 'gemini-generate' || !stream ? {} : { stream }) },
      path: { model, stream },
      channel: readyChannel(type),
      tools: tradingTools,
    });
  const decoded = () => upstreamDialect(dialect)?.decodeResponse(JSON.parse(fixture(dialect, 'text.json').toString()));

  test.each(callers)('an answer is read for a caller of %s', async (protocol) => {
    const reading = (await call(protocol, false)).answer.read(fixture(dialect, 'text.json'));
    const response = decoded();
    if (reading.kind !== 'answer' || response === undefined) throw new Error(reading.kind);
    expect(reading.text()).toBe(chat.responseText(response));
    expect(reading.text().length).toBeGreaterThan(0);
    expect(reading.usage).toEqual(response.usage);
  });

  test('why it ended is a word like any other, also one that all objects inherit', async () => {
    const { answer } = await call(other === dialect ? (callers[0] ?? '') : other, false);
    const ended = (word: string) => {
      const text = fixture(dialect, 'text.json').toString();
      const said = text.replace(/("(?:finish_?reason|stop_?reason)":\s*)"[^"]*"/i, `$1"${word}"`);
      const reading = answer.read(Buffer.from(said));
      return reading.kind === 'answer' ? reading.body?.toString().replaceAll(word, 'unheard') : reading;
    };
    expect(ended('constructor')).toEqual(ended('unheard'));
  });

  test.each(callers)('a stream is read for a caller of %s', async (protocol) => {
    const outgoing = await call(protocol, true);
    const { report, fault } = streamed(outgoing, framedFixture(outgoing.answer.framing, dialect, 'text'));
    expect(fault).toBeUndefined();
    expect(report.complete).toBe(true);
    expect(report.usage).toEqual(decoded()?.usage);
    expect(report.text()).toBe(chat.responseText(decoded() ?? { id: '', model: '', answers: [] }));
  });

  test('a refusal keeps its message', async () => {
    const files = readdirSync(new URL(`${dialect}/`, fixtureRoot)).filter((file) => file.endsWith('.error.json'));
    expect(files.length).toBeGreaterThan(0);
    const { answer } = await call(callers[0] ?? '', false);
    for (const file of files) {
      const status = Number(/\.(\d{3})\.error\.json$/.exec(file)?.[1] ?? 200);
      const bytes = fixture(dialect, file);
      const reading = status === 200 ? answer.read(bytes) : { kind: 'error' as const, error: answer.readError(status, bytes) };
      if (reading.kind !== 'error') throw new Error(`${file} was read as ${reading.kind}`);
      expect(reading.error.message).not.toMatch(/^bad response status code/);
    }
  });
});
