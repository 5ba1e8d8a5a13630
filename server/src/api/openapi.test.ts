import { Validator } from '@seriousme/openapi-schema-validator';
import { routes } from '@tollgate/contract';
import { type ApiDocument, type ApiOperation, describeApi } from '@tollgate/contract/openapi.ts';
import { describe, expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const all = Object.entries(routes).flatMap(([group, members]) =>
  Object.entries(members).map(([name, { method, path, access }]) => ({ id: `${group}.${name}`, method, path, access })),
);
const operationsOf = ({ paths }: ApiDocument): ApiOperation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

describe.each(['zh', 'en'] as const)('the description in %s', (language) => {
  const document = describeApi({ version: '1.2.3', language });

  test('is OpenAPI', async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  test('has every route once, with a summary in its language and what its address holds', () => {
    const operations = operationsOf(document);
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(all.map(({ id }) => id).sort());
    for (const { operationId, summary } of operations) {
      expect([operationId, summary.trim().length > 2]).toEqual([operationId, true]);
      expect([operationId, /[\u4e00-\u9fff]/.test(summary)]).toEqual([operationId, language === 'zh']);
    }
    for (const [path, methods] of Object.entries(document.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters } of Object.values(methods))
        expect(parameters.flatMap((parameter) => (parameter.in === 'path' ? [parameter.name] : []))).toEqual(named);
    }
  });

  test('says who may come in', () => {
    const accesses = new Map(operationsOf(document).map((operation) => [operation.operationId, operation['x-access']]));
    for (const { id, access } of all) expect([id, accesses.get(id)]).toEqual([id, access]);
    const rotate = document.paths['/api/token/{id}/rotate']?.post;
    expect(rotate?.security).toEqual([
      { session: [], user: [] },
      { accessToken: [], user: [] },
    ]);
    expect(document.paths['/api/user/aff_transfer']?.post?.security).toEqual([{ session: [], user: [] }]);
    expect(document.paths['/api/status']?.get?.security).toEqual([]);
  });

  test('says what a switch in an address may be, and that an export may be refused with status 200', () => {
    const answer = document.paths['/api/log/export']?.get?.responses[200];
    const types = ['text/csv', 'application/x-ndjson', 'application/json'];
    expect(answer).toHaveProperty('content', Object.fromEntries(types.map((type) => [type, expect.anything()])));
    const peek = document.paths['/api/token']?.get?.parameters.find(({ name }) => name === 'peek');
    expect(peek?.schema).toEqual({ type: 'string', enum: ['true', 'false', '1', '0', ''] });
  });
});

onEachEngine((_name, open) => {
  test('anybody may read it, as it is and in the language asked for', async () => {
    const kit = await createApiKit(await open());
    const read = async (query: string) => (await kit.call({ path: `/api/openapi.json${query}` })).json as ApiDocument;
    for (const language of ['zh', 'en'] as const) {
      const { info, ...rest } = await read(`?lang=${language}`);
      expect(rest.paths).toEqual(JSON.parse(JSON.stringify(describeApi({ version: '', language }))).paths);
      expect(info.version).not.toBe('');
    }
    expect((await read('')).paths['/api/status']?.get?.summary).toBe('站点状态与公开设置');
    expect((await kit.call({ path: '/api/openapi.json?lang=xx' })).json).toMatchObject({ success: false });
  });
});
