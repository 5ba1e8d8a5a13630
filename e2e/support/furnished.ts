import type { Channel, User } from '@tollgate/contract';
import { expect } from 'vitest';
import type { Console } from './console-client.ts';
import { postJson } from './post-json.ts';
import type { TaskUpstream } from './task-upstream.ts';

/** One of each kind. */
export type Ids = Record<string, number>;

/** An address of a page with its ids filled in. */
export const placeOf = (place: string, ids: Ids): string => place.replace(/\$(\w+)/, (_, kind: string) => String(ids[kind]));

/** Something of everything that has a list. */
export async function furnish(url: string, root: Console, { url: base_url }: TaskUpstream): Promise<Ids> {
  const ids: Ids = {};
  ids.channel = (await root.addChannel({ name: 'main', base_url, models: 'gpt-4o-mini,gpt-4o', tag: 'west' })).id;
  await root.addChannel({ type: 5, name: 'drawings', base_url, models: 'mj_imagine', key: 'mj-key-12345678' });
  await root.addChannel({ type: 36, name: 'music', base_url, models: 'suno_music', key: 'suno-key-12345678', status: 2 });
  const token = await root.addToken({ name: 'a program' });
  ids.token = token.id;
  await root.call('POST', '/api/redemption/', { name: 'gift', quota: 500_000, count: 3 });
  await root.call('POST', '/api/user/', { username: 'somebody', display_name: 'Somebody', password: 'correct-horse-9' });
  const users = await root.call<User[]>('GET', '/api/user/?p=0&page_size=10');
  ids.user = users.find(({ username }) => username === 'somebody')?.id ?? 0;
  for (const id of [root.userId, ids.user]) await root.call('PUT', `/api/agent/${id}`, { status: 1 });
  for (const [key, value] of [
    ['AgentEnabled', true],
    ['DrawingEnabled', true],
    ['TaskEnabled', true],
    ['DataExportEnabled', true],
    ['Notice', ''],
    ['About', '# About\n\n[a link](https://docs.example.com) in a text, `code`, and\n\n| a | b |\n|---|---|\n| 1 | 2 |'],
    ['Chats', [{ web: 'https://chat.example.com/#{key}' }, { app: 'ama://set?key={key}' }]],
  ] as const)
    await root.setOption(key, value);
  const submit = (place: string, body: unknown) => postJson(url + place, token.key, body);
  await submit('/mj/submit/imagine', { prompt: 'a cat' });
  await submit('/v1/chat/completions', { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] });
  expect((await root.call<Channel[]>('GET', '/api/channel/?p=0&page_size=10')).length).toBe(3);
  return ids;
}
