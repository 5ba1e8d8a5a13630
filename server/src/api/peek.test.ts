import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const channel = { type: 1, key: 'upstream-secret-0001', models: 'gpt-4o', group: 'default', priority: 0 };
/** Lists with two rows, or two tags, and how the size of their pages is called. */
const lists = [
  '/api/token/?size=',
  '/api/token/search?keyword=two&page_size=',
  '/api/user/?status=1&page_size=',
  '/api/user/search?keyword=two&page_size=',
  '/api/channel/?page_size=',
  '/api/channel/search?keyword=two&page_size=',
  '/api/redemption/?page_size=',
  '/api/redemption/search?keyword=two&page_size=',
];

onEachEngine((_name, open) => {
  test('a full page that peeks tells whether it is the last: the first row of the next one comes along', async () => {
    const kit = await createApiKit(await open());
    // Of the users an administrator sees the common ones.
    const as = await kit.user('admin', 10);
    for (const name of ['two a', 'two b']) {
      await kit.user(name.replace(' ', '_'));
      await kit.call({ method: 'POST', path: '/api/token/', body: { name, remain_quota: 5 }, as });
      await kit.call({ method: 'POST', path: '/api/channel/', body: { ...channel, name }, as });
      await kit.call({ method: 'POST', path: '/api/redemption/', body: { name, quota: 5, count: 1 }, as });
    }
    for (const list of lists) {
      const ids = async (query: string): Promise<number[]> =>
        (await kit.call({ path: list + query, as })).json.data.map(({ id }: { id: number }) => id);
      const [first, second] = await ids('2&peek=true');
      expect([list, await ids('2'), await ids('1'), await ids('1&peek=true')]).toEqual([
        list,
        [first, second],
        [first],
        [first, second],
      ]);
      expect([await ids('1&p=1&peek=true'), await ids('1&p=2&peek=true')]).toEqual([[second], []]);
    }
  });

  test('a page of tags that peeks has one channel of the next tag, however many that one has', async () => {
    const kit = await createApiKit(await open());
    const as = await kit.user('admin', 10);
    for (const tag of ['a', 'b', 'b', 'a'])
      await kit.call({ method: 'POST', path: '/api/channel/', body: { ...channel, name: 'main', tag }, as });
    for (const where of ['?', 'search?keyword=main&']) {
      const ids = async (query: string) =>
        (await kit.call({ path: `/api/channel/${where}tag_mode=true&${query}`, as })).json.data.map(
          ({ id }: { id: number }) => id,
        );
      expect([await ids('page_size=1'), await ids('page_size=1&peek=true')]).toEqual([
        [4, 1],
        [4, 1, 3],
      ]);
      expect([await ids('page_size=1&p=1&peek=true'), await ids('page_size=2&peek=true')]).toEqual([
        [3, 2],
        [4, 3, 2, 1],
      ]);
    }
  });
});
