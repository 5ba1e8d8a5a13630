import { describe, expect, it } from 'vitest';
import { intParam, ownPath, parseSearch, stringifySearch, textParam } from './search.ts';

describe('search parameters', () => {
  it('leave defaults out of the address and come back from it', () => {
    const search = { keyword: 'a b&c=d', p: 3, group: undefined, model: '' };
    expect(stringifySearch(search)).toBe('?keyword=a+b%26c%3Dd&p=3');
    expect(parseSearch(stringifySearch(search))).toEqual({ keyword: 'a b&c=d', p: '3' });
    expect(stringifySearch({})).toBe('');
  });

  it('out of range or of another kind are absent', () => {
    expect(intParam('7', 1, 10)).toBe(7);
    for (const value of ['0', '11', '1.5', 'x', '', null, {}, '9'.repeat(30)]) expect(intParam(value, 1, 10)).toBeUndefined();
    expect(textParam('  x  ')).toBe('x');
    expect(textParam('x'.repeat(100))).toHaveLength(64);
    for (const value of ['', '   ', 5, undefined]) expect(textParam(value)).toBeUndefined();
  });
});

describe('the path to return to', () => {
  it('is a path of our own', () => {
    expect(ownPath('/log?p=2')).toBe('/log?p=2');
  });

  it('never leads to another site or back to the login page', () => {
    for (const value of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      '/%2e/\\evil.example',
      'javascript:alert(1)',
      '/login',
      '/register?aff=x',
      '',
      7,
    ]) {
      expect(ownPath(value)).toBeUndefined();
    }
  });
});
