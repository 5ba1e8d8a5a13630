import { expect, test } from 'vitest';
import { assistant, call, result, user } from '../../test/messages-kit.ts';
import { withCallIds } from './call-ids.ts';

test('a call without an id gets one that no other call of the conversation has, and its result gets it, too', () => {
  const messages = [
    assistant(call(''), call('')),
    user(result('', 'mine'), result('', 'mine')),
    assistant(call('call_0001')),
    user(result('call_0001', 'its')),
  ];
  const ids = withCallIds(messages).flatMap(({ parts }) => parts.map((part) => ('id' in part ? part.id : '')));
  const [first, second] = ids;
  expect(new Set([first, second, 'call_0001']).size).toBe(3);
  expect(ids.slice(2)).toEqual([first, second, 'call_0001', 'call_0001']);
});
