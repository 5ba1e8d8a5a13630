import { clientDialect } from '@tollgate/wire';
import { expect, test } from 'vitest';
import type { KeyRecord } from '../identity/index.ts';
import { parseIpList } from '../platform/client-ip.ts';
import { admit } from './admit.ts';
import { checkKey } from './check-key.ts';

const key = (...models: string[]) => ({ modelLimits: new Set(models) }) as unknown as KeyRecord;

test('a key is limited to the names that it lists; custom assistants share one', () => {
  const ask = (record: KeyRecord, model: string) => () => checkKey(record, '127.0.0.1', model);
  expect(ask(key('gpt-4o', 'gpt-4o-gizmo-*'), 'gpt-4o-gizmo-g-abc')).not.toThrow();
  expect(ask(key('gpt-4o-gizmo-g-abc'), 'gpt-4o-gizmo-g-abc')).not.toThrow();
  expect(ask(key('gpt-4o-gizmo-g-abc'), 'gpt-4o-gizmo-g-other')).toThrow();
  expect(ask(key('gpt-4o-gizmo-*'), 'gpt-4o')).toThrow();
  expect(ask(key(), 'gpt-4o')).toThrow();
});

test.each([
  ['', '', '8.8.8.8', true],
  ['10.0.0.0/8', '', '10.1.2.3', true],
  ['10.0.0.0/8', '', '8.8.8.8', false],
  ['', '10.0.0.0/8', '10.1.2.3', false],
  ['', '10.0.0.0/8', '8.8.8.8', true],
  ['10.0.0.0/8', '10.1.2.3', '10.1.2.3', false],
  ['10.0.0.0/8', '10.1.2.3', '10.1.2.4', true],
])('a key for "%s" without "%s" may be used from %s: %s', (allowed, denied, ip, may) => {
  const record = { allowIps: parseIpList(allowed).matcher, denyIps: parseIpList(denied).matcher } as KeyRecord;
  const ask = expect(() => checkKey(record, ip, 'gpt-4o'));
  if (may) ask.not.toThrow();
  else ask.toThrow('您的 IP 不在令牌允许访问的列表中');
});

test.each([
  ['anthropic-messages', { fallbacks: [{ model: 'dear' }] }, 'fallbacks'],
  ['openai-chat', { models: ['cheap', 'dear'] }, 'models'],
  ['openai-chat', { Models: ['dear'] }, 'Models'],
])('a model that may answer instead of the one that is priced is refused: %s, %j', async (protocol, more, param) => {
  const surface = clientDialect(protocol);
  const asked = async (body: object) => {
    const peeked = surface?.peekRequest(Buffer.from(JSON.stringify({ model: 'cheap', messages: [{}], ...body })));
    if (peeked?.ok !== true) throw new Error('unreadable');
    const inquiry = { protocol, peek: peeked.peek } as unknown as Parameters<typeof admit>[3];
    const parts = { snapshot: () => ({ options: undefined }) } as unknown as Parameters<typeof admit>[0];
    const arrival = { id: 'a', ip: '127.0.0.1', startedMonotonicMs: 0 };
    return admit(parts, arrival, { key: key('cheap') } as Parameters<typeof admit>[2], inquiry);
  };
  await expect(asked(more)).rejects.toMatchObject({ status: 400, code: 'invalid_request', param });
  for (const fine of [{}, { fallbacks: 'default' }, { models: [] }]) {
    await expect(asked(fine)).rejects.not.toMatchObject({ code: 'invalid_request' });
  }
});
