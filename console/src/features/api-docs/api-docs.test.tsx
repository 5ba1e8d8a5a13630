import { screen, within } from '@testing-library/react';
import type { ApiDocument, ApiOperation } from '@tollgate/contract/openapi.ts';
import { describe, expect, it } from 'vitest';
import { refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { answerRows, formsOf, typeText } from './model.ts';

const operation = (name: RegExp) => screen.findByRole('button', { name });

describe('the page of the API', () => {
  it('shows every group, narrows by words, and says when nothing matches', async () => {
    const { user } = renderApp('/docs/api');
    await screen.findByRole('region', { name: '令牌' });
    const all = Number.parseInt((await screen.findByText(/个接口$/)).textContent ?? '', 10);
    expect(all).toBeGreaterThan(190);
    const search = screen.getByRole('searchbox', { name: '路径、名称或说明' });
    await user.type(search, 'post 令牌');
    expect(await screen.findByRole('button', { name: /POST \/api\/token\/\{id\}\/rotate/ })).toBeDefined();
    expect(screen.queryByRole('region', { name: '渠道' })).toBeNull();
    await user.clear(search);
    await user.type(search, 'nothing like it');
    await screen.findByText('没有符合的接口');
  });

  it('opens an operation: who may call it, its fields with their bounds, and the call', async () => {
    const { user } = renderApp('/docs/api');
    const create = await operation(/POST \/api\/token 新建令牌/);
    await user.click(create);
    expect(create.getAttribute('aria-expanded')).toBe('true');
    const body = within(screen.getByRole('table', { name: '请求正文（JSON）' }));
    expect(body.getByRole('row', { name: /^name 必填 string length ≥ 1, length ≤ 1024/ })).toBeDefined();
    screen.getByText('需要登录。');
    expect(screen.getByText(/^curl -X POST/).textContent).toContain('New-Api-User: $USER_ID');
    await user.click(create);
    await user.click(await operation(/GET \/api\/token 自己的令牌/));
    const answer = within(screen.getByRole('table', { name: '成功时的回答' }));
    expect(answer.getByRole('row', { name: 'data Token[]' })).toBeDefined();
    expect(answer.getByRole('row', { name: 'data[].remain_quota number' })).toBeDefined();
    expect(within(screen.getByRole('table', { name: '参数' })).getByRole('row', { name: /^p integer = 0/ })).toBeDefined();
  });

  it('says that the description did not come, and asks again', async () => {
    let asked = 0;
    const { user } = renderApp('/docs/api', {
      override: ({ path }) => (path === '/api/openapi.json' && asked++ === 0 ? refuse('', 404) : undefined),
    });
    const again = await screen.findByRole('button', { name: '重试' });
    expect(screen.getByRole('heading', { level: 1, name: '控制台接口' })).toBeTruthy();
    await user.click(again);
    await screen.findByRole('region', { name: '令牌' });
  });
});

describe('a schema in words', () => {
  it('names types, values and choices', () => {
    expect(typeText({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } })).toBe('string | null[]');
    expect(typeText({ enum: ['a', 1] })).toBe('"a" | 1');
    expect(typeText({})).toBe('any');
  });

  it('spells out what an answer holds, once for a type that holds itself', () => {
    const tree = {
      type: 'object',
      properties: {
        id: { type: 'number', description: 'Of the tree.' },
        next: { $ref: '#/components/schemas/Tree' },
        byName: { type: 'object', additionalProperties: { type: 'object', properties: { a: { const: 1 } }, required: ['a'] } },
      },
      required: ['id', 'byName'],
    };
    const data = { anyOf: [{ type: 'null' }, { type: 'array', items: { $ref: '#/components/schemas/Tree' } }] };
    const content = { 'application/json': { schema: { properties: { data } } } };
    const document = { components: { schemas: { Tree: tree } } } as unknown as ApiDocument;
    const rowsOf = (responses: object) => answerRows({ responses } as ApiOperation, document);
    expect(rowsOf({ 200: { content } }).map(({ name, type, mayBeAbsent, note }) => [name, type, mayBeAbsent, note])).toEqual([
      ['data', 'null | Tree[]', false, ''],
      ['data[].id', 'number', false, 'Of the tree.'],
      ['data[].next', 'Tree', true, ''],
      ['data[].byName', 'object', false, ''],
      ['data[].byName[name].a', '1', false, ''],
    ]);
    expect(rowsOf({ 200: { content: { 'text/csv': {} } } })).toEqual([]);
  });

  it('lists each form that a body may have', () => {
    const form = (name: string) => ({
      type: 'object',
      properties: { [name]: { type: 'integer', default: 0 } },
      required: [name],
    });
    expect(formsOf({ anyOf: [form('a'), form('b')] })).toEqual([
      [{ name: 'a', required: true, type: 'integer', limits: '= 0' }],
      [{ name: 'b', required: true, type: 'integer', limits: '= 0' }],
    ]);
    expect(formsOf({ type: 'array' })).toEqual([]);
  });
});
