import { describe, expect, it } from 'vitest';
import { highlight } from './highlight.ts';
import { type Answer, bodyOf, emptyAnswer, messagesOf, newSetup, readTools, type Turn } from './model.ts';
import { grown } from './stream.ts';

describe('code', () => {
  it('keeps every character, whatever it colours', () => {
    for (const source of [
      '',
      'const a = "b\\"c"; // d',
      "x = 'open\n# y",
      '/* never ends',
      '`$(a)` 0x1f 1.5e3',
      '<!-- a --> <b>',
    ])
      expect(
        highlight(source)
          .map(({ text }) => text)
          .join(''),
      ).toBe(source);
  });

  it('tells words, texts, numbers, comments and calls apart', () => {
    const tones = Object.fromEntries(highlight('return f("if", 12) // for').map(({ text, tone }) => [text, tone]));
    expect(tones).toMatchObject({ return: 'text-violet', f: 'text-accent', '"if"': 'text-ok', '12': 'text-warn' });
    expect(tones['// for']).toContain('italic');
  });
});

const turn = (text: string, answers: Partial<Answer>[] = []): Turn => ({
  ...{ id: text, text, images: [] },
  answers: answers.map((answer) => ({ ...emptyAnswer(answer.model ?? 'a'), ...answer })),
});

describe('what is asked', () => {
  it('tells each model its own answers, and those of the first where it has none', () => {
    const before = [
      turn('1', [
        { model: 'a', text: 'by a' },
        { model: 'b', text: 'by b' },
      ]),
      turn('2', [{ model: 'a', text: '' }]),
    ];
    const setup = { ...newSetup, system: 'Be brief.' };
    const said = (model: string) => messagesOf(setup, before, turn('3'), model).map(({ content }) => content);
    expect(said('b')).toEqual(['Be brief.', '1', 'by b', '2', '3']);
    expect(said('c')).toEqual(['Be brief.', '1', 'by a', '2', '3']);
  });

  it('sends 0 until the temperature was touched, and pictures beside the text', () => {
    const body = bodyOf(newSetup, messagesOf(newSetup, [], { text: 'x', images: ['data:image/png;base64,AA'] }, 'm'), 'm');
    expect(body).toMatchObject({ temperature: 0, max_tokens: 0, stream: true });
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      },
    ]);
    expect(bodyOf({ ...newSetup, temperature: 0.7, group: 'vip' }, [], 'm')).toMatchObject({ temperature: 0.7, group: 'vip' });
  });

  it('takes tools as a list only', () => {
    expect(readTools(' ')).toBeUndefined();
    expect(readTools('[{"type":"function"}]')).toEqual([{ type: 'function' }]);
    expect(() => readTools('{}')).toThrow(TypeError);
    expect(() => readTools('[')).toThrow(SyntaxError);
  });
});

describe('an answer grows', () => {
  it('by text, thought, tool calls in pieces, and ends with its usage', () => {
    const events = [
      { choices: [{ delta: { role: 'assistant', content: '' } }] },
      { choices: [{ delta: { reasoning_content: 'Hm' } }] },
      { choices: [{ delta: { content: 'A' } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{"a"' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }, { index: 9 }] } }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
      { choices: 'odd', usage: 7 },
    ];
    const answer = events.reduce((so, event, index) => grown(so, event, index * 10), emptyAnswer('m'));
    expect(answer).toMatchObject({
      state: 'incomplete',
      text: 'A',
      reasoning: 'Hm',
      firstMs: 10,
      promptTokens: 3,
      completionTokens: 2,
    });
    expect(answer.toolCalls).toEqual([{ name: 'f', arguments: '{"a":1}' }]);
  });
});
