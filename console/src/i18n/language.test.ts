import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';

const boot = readFileSync(`${import.meta.dirname}/../../theme-boot.js`, 'utf8');

/** The language of the first paint, which is the console's. */
function firstPaint(languages: readonly string[], chosen = '') {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages);
  localStorage.setItem('i18nextLng', chosen);
  runInThisContext(boot);
  return document.documentElement.lang;
}

describe('the language', () => {
  it.each([
    [['en-US', 'en'], 'en'],
    [['fr-FR', 'en-GB', 'zh-CN'], 'en'],
    [['zh-TW', 'en'], 'zh-CN'],
    [['fr'], 'zh-CN'],
    [[], 'zh-CN'],
  ])('is the first of the browser’s that there is: %j', (languages, expected) => {
    expect(firstPaint(languages)).toBe(expected);
  });

  it('is what was chosen, whatever the browser speaks', () => {
    expect(firstPaint(['en-US'], 'zh')).toBe('zh-CN');
    expect(firstPaint(['zh-CN'], 'en')).toBe('en');
  });
});
