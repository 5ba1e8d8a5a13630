import { zodResponseFormat } from 'openai/helpers/zod';
import { expect } from 'vitest';
import { z } from 'zod';
import { askOpenai, openaiOf } from '../clients.ts';
import type { Row } from '../table.ts';
import { greeting, pdfBase64, pdfSize, pngBase64, pngSize, pngUrl, thought, wavBase64, wavSize } from './samples.ts';

const sdk = 'openai: chat.completions';

const fetched = 'the gateway fetches it';
const answerSchema = z.object({ city: z.string(), days: z.number().int(), tags: z.array(z.string()) });

export const openaiMediaRows: readonly Row[] = [
  {
    sdk,
    feature: 'image, inline',
    async run(cell) {
      const image_url = { url: `data:image/png;base64,${pngBase64}` };
      const answer = await askOpenai(cell, [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url },
      ]);
      expect(answer.choices[0]?.message.content).toBe(`I got ${pngSize}`);
    },
    saw([facts]) {
      expect(facts?.turns).toEqual([{ role: 'user', pieces: [{ text: 'look' }, { image: pngSize }] }]);
    },
  },
  {
    sdk,
    feature: 'image, by address',
    async run(cell) {
      const answer = await askOpenai(cell, [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: pngUrl } },
      ]);
      expect(answer.choices[0]?.message.content).toBe(`I got ${cell.column.startsWith('openai') ? pngUrl : pngSize}`);
    },
    saw([facts], { column }) {
      // For the other two the gateway has fetched it.
      expect(facts?.turns[0]?.pieces[1]).toEqual({ image: column.startsWith('openai') ? pngUrl : pngSize });
    },
    except: { 'anthropic-messages': { note: fetched }, 'gemini-generate': { note: fetched } },
  },
  {
    sdk,
    feature: 'file, inline',
    async run(cell) {
      const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdfBase64}` };
      const answer = await askOpenai(cell, [
        { type: 'text', text: 'read' },
        { type: 'file', file },
      ]);
      expect(answer.choices[0]?.message.content).toBe(`I got ${pdfSize}`);
    },
    saw([facts]) {
      expect(facts?.turns[0]?.pieces).toContainEqual({ file: pdfSize });
    },
  },
  {
    sdk,
    feature: 'audio in',
    async run(cell) {
      const answer = await askOpenai(cell, [
        { type: 'text', text: 'hear' },
        { type: 'input_audio', input_audio: { data: wavBase64, format: 'wav' } },
      ]);
      if (!cell.lost('audio')) expect(answer.choices[0]?.message.content).toBe(`I got ${wavSize}`);
    },
    saw([facts], cell) {
      if (!cell.lost('audio')) expect(facts?.turns[0]?.pieces).toContainEqual({ sound: wavSize });
    },
    except: {
      'openai-responses': { refused: 400, why: 'that dialect takes no sound' },
      'anthropic-messages': { loses: ['audio'] },
    },
  },
  {
    sdk,
    feature: 'audio out',
    async run(cell) {
      const answer = await askOpenai(cell, 'hi', { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } });
      const message = answer.choices[0]?.message;
      if (cell.column === 'openai-chat')
        expect(message?.audio).toMatchObject({ transcript: greeting, data: expect.stringMatching(/^\S+$/) });
      else expect(message?.content).toBe(greeting);
    },
    saw([facts], cell) {
      expect(facts?.speaks).toBe(!cell.lost('audio'));
    },
    except: {
      'openai-responses': { loses: ['audio', 'modalities'] },
      'anthropic-messages': { loses: ['audio', 'modalities'] },
      'gemini-generate': { loses: ['audio', 'modalities'] },
    },
  },
  {
    sdk,
    feature: 'structured output (parse)',
    async run({ world, model }) {
      const answer = await openaiOf(world).chat.completions.parse({
        model,
        messages: [{ role: 'user', content: 'where' }],
        response_format: zodResponseFormat(answerSchema, 'place'),
      });
      expect(answer.choices[0]?.message.parsed).toEqual({ city: 'Paris', days: 3, tags: ['Paris'] });
    },
    saw([facts]) {
      expect(facts?.schema).toMatchObject({ type: expect.stringMatching(/object/i), required: ['city', 'days', 'tags'] });
    },
  },
  {
    sdk,
    feature: 'JSON mode',
    async run(cell) {
      const answer = await askOpenai(cell, 'hi', {
        messages: [
          { role: 'system', content: 'Answer in JSON.' },
          { role: 'user', content: 'hi' },
        ],
        response_format: { type: 'json_object' },
      });
      if (!cell.lost('json')) expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({ ok: true });
    },
    saw([facts], cell) {
      expect(facts?.system).toBe('Answer in JSON.');
      if (!cell.lost('json')) expect(facts?.schema).toEqual({});
    },
    except: { 'anthropic-messages': { loses: ['json'] } },
  },
  {
    sdk,
    feature: 'reasoning effort',
    async run(cell) {
      const answer = await askOpenai(cell, 'hi', { reasoning_effort: 'low', max_completion_tokens: 4_000 });
      expect(answer.choices[0]?.message.content).toBe(greeting);
      if (!cell.lost('reasoning')) expect(answer.usage?.completion_tokens_details?.reasoning_tokens ?? 5).toBe(5);
    },
    saw([facts]) {
      expect(facts?.thinking).toBeDefined();
      if (facts?.thinking?.effort !== undefined) expect(facts.thinking.effort).toBe('low');
      else expect(facts?.thinking?.budget).toBeGreaterThanOrEqual(1_024);
    },
  },
  {
    sdk,
    feature: 'stream of thoughts (reasoning_content)',
    async run({ world, model, column }) {
      const stream = await openaiOf(world).chat.completions.create({
        model,
        messages: [{ role: 'user', content: 'hi' }],
        reasoning_effort: 'high',
        stream: true,
      });
      let [text, thoughts] = ['', ''];
      for await (const { choices } of stream) {
        text += choices[0]?.delta.content ?? '';
        thoughts += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '';
      }
      expect({ text, thoughts }).toEqual({ text: greeting, thoughts: column === 'openai-responses' ? '' : thought });
    },
    saw([facts]) {
      expect(facts?.thinking).toBeDefined();
    },
    except: { 'openai-responses': { note: 'its summaries are not asked for, so there are none' } },
  },
];
