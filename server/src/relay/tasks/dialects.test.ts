import { expect, test } from 'vitest';
import { localFault } from '../faults.ts';
import { errorDialect } from '../surface.ts';

const told = (surface: string, fault: ReturnType<typeof localFault>) =>
  JSON.parse(errorDialect(surface).body(fault, 'call-1')) as unknown;

test('drawings and music are told the protocol’s bare words (contract 6.6)', () => {
  expect(told('music', localFault('task_not_exist'))).toEqual({ code: 'task_not_exist', message: 'task_not_exist', data: null });
  expect(told('drawing', localFault('task_no_found'))).toEqual({ description: 'task_no_found', type: 'upstream_error', code: 4 });
});

test('who may not call at all is told in the common envelope, with the call’s id', () => {
  for (const surface of ['music', 'drawing'])
    expect(told(surface, localFault('token_unknown', {}, { codeless: true }))).toMatchObject({
      error: { message: '无效的令牌 (request id: call-1)', code: '' },
    });
});
