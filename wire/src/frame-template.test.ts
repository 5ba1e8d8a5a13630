import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrameTemplate } from './frame-template.ts';

const frame = (text: string, more = '') => Buffer.from(`data: {"d":{"content":${JSON.stringify(text)}},"end":null${more}}\n\n`);

function learnt(more = '', padding?: { key: string; text: string }) {
  const template = createFrameTemplate();
  template.learn(frame('one', more), 'content', 'one', padding);
  return (bytes: Buffer) =>
    template.matches(bytes, 0, bytes.length) ? bytes.toString('utf8', template.textStart, template.textEnd) : undefined;
}

describe('a template', () => {
  test('recognises frames that differ in their text only, and finds the text', () => {
    const text = learnt();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(text(frame(value))).toBe(JSON.stringify(value).slice(1, -1));
      }),
    );
  });

  test('lets padding differ too', () => {
    const text = learnt(',"pad":"abc"', { key: 'pad', text: 'abc' });
    expect(text(frame('two', ',"pad":"0123456789"'))).toBe('two');
    expect(text(frame('two', ',"pad":"0123456789","usage":{}'))).toBeUndefined();
    expect(text(frame('two', ',"pad":null'))).toBeUndefined();
    expect(text(Buffer.from(frame('two', ',"pad":"012"').toString().replace('}\n', ']\n')))).toBeUndefined();
  });

  test.each([
    frame('two', ',"usage":{"x":1}'),
    Buffer.from(frame('two').toString().replace('null', '"stop"')),
    Buffer.from(frame('two').toString().replace('null', 'true')),
    Buffer.from(frame('two').toString().replace('"d"', '"e"')),
    Buffer.from(frame('two').toString().replace('"content"', '"refusal"')),
    Buffer.from(frame('two').toString().replace('two', 't\two')),
    Buffer.from(frame('two').toString().replace('two', 't\\xo')),
    Buffer.from(frame('two').toString().replace('two', 't\\u12g4')),
    Buffer.from(frame('two').toString().replace('two"', 'two')),
    frame('two').subarray(0, -1),
    Buffer.concat([frame('two'), frame('two')]),
  ])('refuses a frame that differs elsewhere or whose text is no valid string: %s', (bytes) => {
    expect(learnt()(bytes)).toBeUndefined();
  });

  test('is not learnt from a frame in which the text could be another string', () => {
    const template = createFrameTemplate();
    const twice = Buffer.from('data: {"content":"a","x":{"content":"a"}}\n\n');
    template.learn(twice, 'content', 'a');
    template.learn(frame('one'), 'content', 'not one');
    template.learn(frame('one'), 'missing', 'one');
    expect(template.matches(twice, 0, twice.length)).toBe(false);
    expect(template.matches(frame('one'), 0, frame('one').length)).toBe(false);
  });

  test('holds two shapes at once; a third one takes the place of what has not fitted for longest', () => {
    const template = createFrameTemplate();
    const [first, second, third] = [0, 1, 2].map((k) => frame('a', `,"i":${k}`)) as [Buffer, Buffer, Buffer];
    const knows = (shape: Buffer) => template.matches(shape, 0, shape.length);
    for (const shape of [first, second]) template.learn(shape, 'content', 'a');
    expect([first, second, second, first].map(knows)).toEqual([true, true, true, true]);
    expect(knows(third)).toBe(false);
    template.learn(third, 'content', 'a');
    expect([third, first, second].map(knows)).toEqual([true, true, false]);
  });

  test('is compared wherever the frame stands in its buffer, and sees a difference at each of its bytes', () => {
    const template = createFrameTemplate();
    const more = ',"pad":"abc"';
    template.learn(frame('one', more), 'content', 'one', { key: 'pad', text: 'abc' });
    const bytes = frame('one', more);
    const holes = [bytes.indexOf('one'), bytes.indexOf('abc')];
    for (let before = 0; before < 4; before += 1) {
      const all = Buffer.concat([Buffer.alloc(before, 'x'), bytes, Buffer.from('x')]);
      expect(template.matches(all, before, before + bytes.length)).toBe(true);
      for (let at = 0; at < bytes.length; at += 1) {
        const other = Buffer.from(all);
        other[before + at] = 'z'.charCodeAt(0);
        const isInHole = holes.some((hole) => at >= hole && at < hole + 3);
        expect([at, template.matches(other, before, before + bytes.length)]).toEqual([at, isInHole]);
      }
    }
  });
});
