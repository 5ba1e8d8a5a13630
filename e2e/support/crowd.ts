import { expect } from 'vitest';
import type { Console } from './console-client.ts';
import type { MockUpstream } from './mock-upstream.ts';
import { postJson } from './post-json.ts';
import { eventually } from './wait.ts';

const maxMs = 20_000;
const models = ['gpt-4o-mini', 'gpt-4o'];
/** Rows of each list that a person can have on the screen at once. */
export const crowd = 100;

/** A list of tokens, one of channels and a log that fill the longest page there is, each row with something in every column. */
export async function makeCrowd(url: string, root: Console, upstream: MockUpstream): Promise<void> {
  const token = await root.addToken({ name: 'a program' });
  await root.addChannel({ name: 'main', base_url: upstream.url, models: models.join(), group: 'default,vip', tag: 'west' });
  for (let made = 1; made < crowd; made += 1) {
    await root.call('POST', '/api/token/', {
      ...{ name: `program ${made}`, group: '', expired_time: made % 3 ? -1 : 1_900_000_000 },
      ...{ unlimited_quota: made % 2 === 0, remain_quota: made * 10_000 },
    });
    await root.call('POST', '/api/channel/', {
      ...{ type: made % 2 ? 1 : 14, name: `channel ${made}`, key: `upstream-key-${made}`, group: 'default,vip,svip', status: 2 },
      ...{ models: models.join(), priority: made, weight: made, ...(made % 4 ? {} : { tag: `tag ${made % 16}` }) },
    });
  }
  const call = async (made: number) => {
    const answer = await postJson(`${url}/v1/chat/completions`, token.key, {
      model: models[made % 2],
      stream: made % 3 === 0,
      messages: [{ role: 'user', content: 'hello' }],
    });
    expect(answer.status).toBe(200);
    await answer.text();
  };
  for (let made = 0; made < 2 * crowd; made += 10) await Promise.all(Array.from({ length: 10 }, (_, at) => call(made + at)));
  await eventually(async () => expect(await root.logs('type=2')).toHaveLength(crowd), maxMs);
}
