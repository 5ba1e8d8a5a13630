import { describe, expect, it } from 'vitest';
import { cleanHtml } from './clean.ts';

const clean = (html: string): string => {
  const place = document.createElement('div');
  place.append(cleanHtml(html));
  return place.innerHTML;
};

describe('HTML that is cleaned', () => {
  it('keeps text, its structure and how it looks', () => {
    expect(
      clean(
        '<h2>A</h2><p lang="en" style="color: red">b <b>c</b></p><table><tbody><tr><td colspan="2">d</td></tr></tbody></table>',
      ),
    ).toBe(
      '<h2>A</h2><p lang="en" style="color: red;">b <b>c</b></p><table><tbody><tr><td colspan="2">d</td></tr></tbody></table>',
    );
  });

  it('keeps what is inside an element that is not allowed, but not inside one whose content is no text', () => {
    expect(clean('<form>a<x-y>b</x-y></form><script>c</script><style>d</style><svg><text>e</text></svg>')).toBe('ab');
  });

  it('keeps no handler, no name, no class and no place over the page', () => {
    expect(
      clean(
        '<p id="a" name="b" class="fixed" onclick="c" data-tip="d" style="position:fixed;background-image:url(e);margin-top:-9px">f</p>',
      ),
    ).toBe('<p>f</p>');
  });

  it('lets links lead out in a window of their own, and nowhere that runs', () => {
    expect(clean('<a href="https://a.example/">a</a>')).toContain('target="_blank" rel="noopener noreferrer nofollow"');
    expect(clean('<a href="/token">a</a>')).toBe('<a href="/token">a</a>');
    for (const href of [
      'javascript:x',
      ' java\tscript:x',
      'data:text/html,x',
      'vbscript:x',
      '//evil.example',
      '/\\evil.example',
      'blob:x',
    ])
      expect({ href, html: clean(`<a href="${href}">a</a>`) }).toEqual({ href, html: '<a>a</a>' });
  });

  it('loads pictures by https only', () => {
    expect(clean('<img src="https://a.example/b.png" onerror="c">')).toContain('src="https://a.example/b.png"');
    for (const src of ['http://a.example/b.png', 'x', 'data:image/svg+xml,x', 'javascript:x'])
      expect(clean(`<img src="${src}">`)).not.toContain('src');
  });

  it('of what a model wrote, loads pictures from elsewhere when they are asked for, those here and in the text at once', () => {
    const place = document.createElement('div');
    const held = 'https://user@evil.example:8443/p.png?said=secret';
    place.append(cleanHtml(`<a href="https://b.example/"><img src="${held}" alt="a chart"></a>`, (host) => `load ${host}`));
    expect(place.querySelector('img')).toBeNull();
    expect(place.innerHTML).not.toContain('secret');
    const button = place.querySelector('button');
    expect(button?.textContent).toBe('load evil.example:8443');
    const click = new MouseEvent('click', { bubbles: true, cancelable: true });
    button?.dispatchEvent(click);
    expect(click.defaultPrevented).toBe(true);
    expect(place.querySelector('button')).toBeNull();
    expect(place.querySelector('a > img')?.getAttribute('src')).toBe(held);
    expect(place.querySelector('img')?.alt).toBe('a chart');
    for (const src of ['/mj/image/a', `https://${location.host}/b.png`, 'data:image/png;base64,AA'])
      expect(cleanHtml(`<img src="${src}">`, String).querySelector('img')?.getAttribute('src')).toBe(src);
    for (const src of ['//evil.example/b.png', 'http://evil.example/b.png', 'data:text/html,x'])
      expect(cleanHtml(`<img src="${src}">`, String).querySelector('[src], button')).toBeNull();
  });

  it('ends somewhere: in depth and in number', () => {
    expect(clean(`${'<div>'.repeat(500)}deep`)).not.toContain('deep');
    expect(cleanHtml('<br>'.repeat(30_000)).childNodes.length).toBeLessThanOrEqual(20_000);
  });
});
