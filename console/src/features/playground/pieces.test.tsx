import { render } from '@testing-library/react';
import fc from 'fast-check';
import { Lexer } from 'marked';
import { describe, expect, it, vi } from 'vitest';
import { Prose } from './Prose.tsx';
import { type Piece, type Reading, readOn } from './pieces.ts';

/** What models write, and what of it looks different once more has come. */
const samples = [
  ...['Some *words*.\n', '\n', '\n\n', '# A title\n', 'para\n#', 'tag\n', 'title\n==', '=\n', '- one\n- two\n', '  more of it\n'],
  ...['1. a\n\n', '2', '. b\n', '> said\n', 'lazy\n', '| a | b |\n', '|---|---|\n', '| 1 | 2 |\n', '---\n', '***'],
  ...['```js\nconst a = 1;\n', '```\n', '``', '`\n', '~~~\n', '    indented\n', '\t', '<div>\n', '</div>\n', '<!-- a', ' -->\n'],
  ...[
    '<details>\n\n',
    '</details>\n\n',
    '<script>\n',
    '[1]: https://a.example\n',
    '[x][1]\n',
    '[',
    '![](',
    ')',
    '\r',
    '\r\n',
    ' ',
    '\\',
  ],
];
const growth = fc.array(fc.constantFrom(...samples), { minLength: 1, maxLength: 14 });

describe('Markdown that grows', () => {
  it('reads the same however it came', () => {
    fc.assert(
      fc.property(growth, fc.array(fc.nat(12), { maxLength: 20 }), (parts, cuts) => {
        const text = parts.join('');
        let reading: Reading | undefined;
        let end = 0;
        for (const cut of cuts) {
          end += cut;
          reading = readOn(reading, text.slice(0, end));
        }
        const { pieces, definitions } = readOn(reading, text);
        const whole = readOn(undefined, text);
        expect({ pieces, definitions }).toEqual({ pieces: whole.pieces, definitions: whole.definitions });
      }),
      { numRuns: 300 },
    );
  });

  it('keeps what stands inside of an element with it, and code apart', () => {
    const text = '<details><summary>a</summary>\n\nb **c**\n\n</details>\n\nd\n\n```js\ne\n```\n';
    const pieces: Piece[] = [
      { kind: 'prose', source: '<details><summary>a</summary>\n\nb **c**\n\n</details>' },
      { kind: 'prose', source: 'd' },
      { kind: 'code', source: 'e', language: 'js' },
    ];
    expect(readOn(undefined, text).pieces).toEqual(pieces);
  });

  it('parses no more for many small steps than the text is long, and leaves finished blocks alone', () => {
    const part = '## A title\n\nSome **words**, `code` and a [link](https://a.example).\n\n- one\n- two\n\n```js\nf();\n```\n\n';
    const parts = 20;
    const text = part.repeat(parts);
    const lexed = vi.spyOn(Lexer.prototype, 'blockTokens');
    const parsed = vi.spyOn(DOMParser.prototype, 'parseFromString');
    const cost = () =>
      [...lexed.mock.calls, ...parsed.mock.calls].reduce(
        (chars, [source]) => chars + (typeof source === 'string' ? source.length : 0),
        0,
      );
    const stepChars = 30;
    const { rerender, container } = render(<Prose source="" isGrowing />);
    for (let end = stepChars; end < text.length; end += stepChars) rerender(<Prose source={text.slice(0, end)} isGrowing />);
    // Each step reads the last two blocks: some hundred characters, wherever it is.
    expect(cost() / (text.length / stepChars)).toBeLessThan(5 * part.length);
    const first = container.querySelector('h2');
    rerender(<Prose source={text} isGrowing={false} />);
    expect(container.querySelector('h2')).toBe(first);
    expect(container.querySelectorAll('figure').length).toBe(parts);
  });

  it('asks nobody for a picture while it comes, and none of the ways to write one gets past', () => {
    const asked = [
      '![a](https://evil.example/?b)',
      '![a][1]\n\n[1]: https://evil.example/?b',
      '<img src="https://evil.example/?b">',
    ];
    for (const source of asked) {
      const { container, rerender } = render(<Prose source={source.slice(0, -1)} isGrowing />);
      expect(container.querySelector('[src]')).toBeNull();
      rerender(<Prose source={source} isGrowing={false} />);
      expect(container.querySelector('[src]')).toBeNull();
      expect(container.querySelector('button')?.textContent).toBe('加载图片：evil.example');
    }
  });

  it('finds the address of a link that is named later, once the answer is complete', () => {
    const { rerender, container } = render(<Prose source={'See [this][1].\n\nMore.\n\n[1]: https://a.example/'} isGrowing />);
    expect(container.querySelector('a')).toBeNull();
    rerender(<Prose source={'See [this][1].\n\nMore.\n\n[1]: https://a.example/'} isGrowing={false} />);
    expect(container.querySelector('a')?.getAttribute('href')).toBe('https://a.example/');
  });
});
