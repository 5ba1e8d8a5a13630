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

  test('holds two shapes at once', () => {
    const template = createFrameTemplate();
    const shapes = [frame('a', ',"i":0'), frame('a', ',"i":1')];
    for (const shape of shapes) template.learn(shape, 'content', 'a');
    for (const shape of shapes) expect(template.matches(shape, 0, shape.length)).toBe(true);
  });
});
