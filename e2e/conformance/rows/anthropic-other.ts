import Anthropic from '@anthropic-ai/sdk';
import { expect } from 'vitest';
import { anthropicOf, askAnthropic } from '../clients.ts';
import type { Row } from '../table.ts';
import { expectCount } from './counts.ts';
import { failureOf } from './failures.ts';
import { functions, pdfBase64, pdfSize, pngBase64, pngSize, pngUrl } from './samples.ts';

const sdk = '@anthropic-ai/sdk: messages';

export const anthropicOtherRows: readonly Row[] = [
  {
    sdk,
    feature: 'system blocks and cache_control, with the usage of the cache',
    async run(cell) {
      const mark = { type: 'ephemeral' as const };
      const answer = await askAnthropic(
        cell,
        [{ type: 'text', text: 'a known prefix and many words', cache_control: { ...mark, ttl: '5m' } }],
        {
          system: [
            { type: 'text', text: 'Be brief.', cache_control: { ...mark, ttl: '1h' } },
            { type: 'text', text: 'Be kind.' },
          ],
        },
      );
      const { usage } = answer;
      expect(usage.cache_read_input_tokens).toBeGreaterThan(10);
      if (cell.lost('cache_control')) return;
      expect(usage.cache_creation).toMatchObject({
        ephemeral_5m_input_tokens: expect.any(Number),
        ephemeral_1h_input_tokens: expect.any(Number),
      });
      expect(usage.cache_creation_input_tokens).toBeGreaterThan(10);
    },
    saw([facts], cell) {
      expect(facts?.system).toBe('Be brief.\nBe kind.');
      if (!cell.lost('cache_control')) expect(facts?.marks).toEqual(['1h', '5m']);
    },
    except: {
      'openai-chat': { loses: ['cache_control'] },
      'openai-responses': { loses: ['cache_control'] },
      'gemini-generate': { loses: ['cache_control'] },
    },
  },
  {
    sdk,
    feature: 'image and pdf, inline',
    async run(cell) {
      const answer = await askAnthropic(cell, [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pngBase64 } },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdfBase64 }, title: 'a.pdf' },
        { type: 'text', text: 'look' },
      ]);
      expect(answer.content).toMatchObject([{ type: 'text', text: `I got ${pngSize} and ${pdfSize}` }]);
    },
    saw([facts]) {
      expect(facts?.turns[0]?.pieces).toEqual([{ image: pngSize }, { file: pdfSize }, { text: 'look' }]);
    },
  },
  {
    sdk,
    feature: 'image, by address',
    async run(cell) {
      const answer = await askAnthropic(cell, [{ type: 'image', source: { type: 'url', url: pngUrl } }]);
      expect(answer.content).toMatchObject([{ text: `I got ${cell.column === 'gemini-generate' ? pngSize : pngUrl}` }]);
    },
    saw([facts], { column }) {
      expect(facts?.turns[0]?.pieces).toEqual([{ image: column === 'gemini-generate' ? pngSize : pngUrl }]);
    },
    except: { 'gemini-generate': { note: 'the gateway fetches it' } },
  },
  {
    sdk,
    feature: 'stop_sequences',
    async run(cell) {
      const answer = await askAnthropic(cell, 'count', { stop_sequences: ['four'] });
      if (cell.lost('stop')) return;
      expect(answer.content).toMatchObject([{ text: expect.stringMatching(/^one two three ?$/) }]);
      if (cell.column === 'anthropic-messages')
        expect(answer).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'four' });
      else expect(answer.stop_reason).toBe('end_turn');
    },
    saw([facts], cell) {
      if (!cell.lost('stop')) expect(facts?.stop).toEqual(['four']);
    },
    except: { 'openai-responses': { loses: ['stop'] } },
  },
  {
    sdk,
    feature: 'structured output (output_config)',
    async run(cell) {
      const { schema } = functions.forecast;
      const answer = await askAnthropic(cell, 'where', { output_config: { format: { type: 'json_schema', schema } } });
      const [block] = answer.content;
      expect(JSON.parse(block?.type === 'text' ? block.text : '')).toEqual({ city: 'Paris', days: 3 });
    },
    saw([facts]) {
      expect(facts?.schema).toMatchObject({ required: ['city', 'days'] });
    },
  },
  {
    sdk,
    feature: 'a cap that cuts the answer, and who asks',
    async run(cell) {
      const answer = await askAnthropic(cell, 'count', { max_tokens: 4, metadata: { user_id: 'user-7' } });
      if (!cell.lost('max_tokens'))
        expect(answer).toMatchObject({ stop_reason: 'max_tokens', content: [{ text: 'one two three four' }] });
    },
    saw([facts], cell) {
      if (!cell.lost('user')) expect(facts?.user).toBe('user-7');
    },
    except: { 'openai-responses': { loses: ['max_tokens'] }, 'gemini-generate': { loses: ['user'] } },
  },
  {
    sdk,
    feature: 'refusal',
    async run(cell) {
      expect((await askAnthropic(cell, 'refuse')).stop_reason).toBe('refusal');
    },
  },
  {
    sdk,
    feature: 'count_tokens',
    async run({ world, model, column }) {
      const { input_tokens: count } = await anthropicOf(world).messages.countTokens({
        model,
        messages: [{ role: 'user', content: 'one two three' }],
      });
      expectCount(count, column === 'anthropic-messages');
    },
    except: { 'anthropic-messages': { note: 'the upstream counts' } },
  },
  ...failures(),
  {
    sdk,
    feature: 'failure in mid-stream',
    spoil: 'cut',
    charge: 'some',
    async run({ world, model }) {
      const stream = anthropicOf(world).messages.stream({
        model,
        max_tokens: 100,
        messages: [{ role: 'user', content: 'break off' }],
      });
      let text = '';
      stream.on('text', (delta) => {
        text += delta;
      });
      expect(await failureOf(stream.finalMessage())).toBeInstanceOf(Anthropic.APIError);
      expect(text).toBe('Hello! How');
    },
  },
];

function failures(): Row[] {
  const kinds = [
    // Every channel being saturated is the gateway's own error, which keeps its type in every dialect.
    ['429', Anthropic.RateLimitError, 'new_api_error'],
    ['400', Anthropic.BadRequestError, 'invalid_request_error'],
    ['529', Anthropic.InternalServerError, 'overloaded_error'],
  ] as const;
  return kinds.map(([status, kind, type]) => ({
    sdk,
    feature: `error: ${kind.name} (${status})`,
    spoil: status,
    charge: 'none',
    async run(cell) {
      const failure = await failureOf(askAnthropic(cell, `fail ${status}`));
      expect(failure).toBeInstanceOf(kind);
      expect((failure as InstanceType<typeof Anthropic.APIError>).error).toMatchObject({
        type: 'error',
        error: { type, message: expect.any(String) },
      });
    },
  }));
}
