import type { Console } from './console-client.ts';
import type { MockUpstream } from './mock-upstream.ts';
import { sideBySide } from './side-by-side.ts';
import type { TaskUpstream } from './task-upstream.ts';

/** Options that hold content. */
export const contents = ['Notice', 'About', 'HomePageContent', 'Footer'] as const;
/** Each makes a user, whose password takes its time. */
const namesAtATime = 4;

interface World {
  url: string;
  root: Console;
  /** Of a token of root. */
  key: string;
  upstream: MockUpstream;
  tasks: TaskUpstream;
}

/** Ways for a text to come into the console: what people write, what upstreams say, what is drawn. */
export function writersOf({ url, root, key, upstream, tasks }: World) {
  /** Writes these texts wherever people can write something; what is refused is refused. */
  const write = async (texts: readonly string[], round: number): Promise<void> => {
    const all = texts.join('\n\n');
    for (const key of contents) await root.raw('PUT', '/api/option/', { key, value: all });
    const chats = texts.map((text, index) => ({ [`${text}${index}`]: `https://chat.example/#${text}` }));
    await root.raw('PUT', '/api/option/', { key: 'Chats', value: JSON.stringify(chats) });
    const methods = texts.map((name, index) => ({ name, type: `t${index}` }));
    await root.raw('PUT', '/api/option/', { key: 'PayMethods', value: JSON.stringify(methods) });
    const groups = Object.fromEntries(texts.map((text, index) => [`g${index}`, text]));
    await root.raw('PUT', '/api/option/', { key: 'UserUsableGroups', value: JSON.stringify({ default: 'D', ...groups }) });
    await root.raw('PUT', '/api/option/', { key: 'SystemName', value: texts[round % texts.length] ?? '' });
    await sideBySide([...texts.entries()], namesAtATime, ([index, text]) => writeNames(text, `${round}x${index}`));
    const names = texts.map((text) => text.replaceAll(/[\s,\p{C}]+/gu, '/')).join(',');
    await root.raw('POST', '/api/channel/', {
      ...{ type: 1, name: all.slice(0, 200), key: 'k', group: 'default', models: names, base_url: upstream.url, tag: texts[0] },
    });
  };

  const writeNames = async (text: string, id: string): Promise<void> => {
    await root.raw('POST', '/api/token/', { name: text.slice(0, 30), unlimited_quota: true, remain_quota: 0, expired_time: -1 });
    await root.raw('POST', '/api/redemption/', { name: text.slice(0, 20), quota: 1, count: 1 });
    await root.raw('POST', '/api/user/', { username: `u${id}`, display_name: text.slice(0, 20), password: 'correct-horse-9' });
  };

  /** What upstreams say in their answers and errors ends up in the log. */
  const fail = async (texts: readonly string[]): Promise<void> => {
    upstream.script(texts.map((message) => ({ status: 400, body: { error: { message, type: message, code: message } } })));
    for (const text of texts) {
      await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'user-agent': 'x' },
        body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: text }], user: text }),
      });
    }
  };

  /** What is drawn and sung, and what becomes of it in the words of the upstream. */
  const draw = async (texts: readonly string[]): Promise<void> => {
    const submit = async (path: string, body: unknown) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answer.json()) as { result?: string; data?: string };
    };
    const all = texts.join(' ');
    for (const text of texts.slice(0, 10)) {
      const { result = '' } = await submit('/mj/submit/imagine', { prompt: text });
      tasks.set(result, { status: 'FAILURE', failReason: all, promptEn: text, description: text });
    }
    const { data = '' } = await submit('/suno/submit/music', { prompt: all, title: texts[0] });
    tasks.set(data, { status: 'FAILURE', fail_reason: all, data: texts.map((title) => ({ title })) });
    await fetch(
      `${url}/api/user/epay/notify?out_trade_no=${encodeURIComponent(texts[0] ?? '')}&name=${encodeURIComponent(all.slice(0, 400))}`,
    );
  };
  return { write, fail, draw };
}
