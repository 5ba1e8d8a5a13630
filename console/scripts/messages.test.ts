import { describe, expect, it } from 'vitest';
import { findFaults, generate, parametersOf } from './messages.mjs';

describe('the message compiler', () => {
  it('fails when a text is missing on either side', () => {
    expect(findFaults({ a_b: '甲' }, {})).toEqual(['a_b: missing in en']);
    expect(findFaults({}, { a_b: 'A' })).toEqual(['a_b: missing in zh']);
    expect(findFaults({ a_b: ' ' }, { a_b: 'A' })).toEqual(['a_b: missing in zh']);
  });

  it('fails when parameters differ', () => {
    expect(findFaults({ a: '{x}' }, { a: '{y}' })[0]).toContain('parameters differ');
    expect(findFaults({ a: '{x} {y}' }, { a: '{y} {x}' })).toEqual([]);
  });

  it('refuses keys that are no names', () => {
    expect(findFaults({ 'a-b': 'x' }, { 'a-b': 'x' })).toHaveLength(1);
  });

  it('makes typed functions, a module per group, and leaves doubled braces alone', () => {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: generated source is compared as text
    const files = generate({ a_x: '你好 {name}', b_y: '`{{model}}` ${1}' }, { a_x: 'Hi {name}', b_y: 'x {{model}}' });
    expect([...files.keys()]).toEqual(['group-a.ts', 'group-b.ts', 'messages.ts']);
    expect(files.get('group-a.ts')).toContain(
      'export const a_x = (p: { name: string | number }): string => pick(`你好 ${p.name}`, `Hi ${p.name}`);',
    );
    expect(files.get('group-b.ts')).toContain('export const b_y = (): string => pick("`{model}` ${1}", "x {model}");');
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: generated source is compared as text
    expect(parametersOf('{{a}} {b} {b}')).toEqual(['b']);
  });

  it('tells one from many where a language does', () => {
    const files = generate({ a_x: '{n} 条' }, { a_x: '{n} entr{n|y|ies}' });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: generated source is compared as text
    expect(files.get('group-a.ts')).toContain('pick(`${p.n} 条`, `${p.n} entr${p.n == 1 ? "y" : "ies"}`)');
    expect(findFaults({ a: '{n} 条' }, { a: '{n} row{n||s}' })).toEqual([]);
  });
});
