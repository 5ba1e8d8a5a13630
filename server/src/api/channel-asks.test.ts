import { expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onSqlite } from '../../test/engines.ts';
import { faultOf } from '../platform/http/fault.ts';
import { createGuard } from '../platform/http/guard.ts';
import type { SystemRequest } from '../platform/http/system-client.ts';

const channel = { type: 1, name: 'one', key: 'upstream-key-1', models: 'a', group: 'default', base_url: 'https://up.example' };

const proxy = 'socks5://user:pass@127.0.0.1:1080';
const setting = JSON.stringify({ proxy });
const header_override = JSON.stringify({ 'x-account': 'of {api_key}' });
const way = { proxy, headers: expect.objectContaining({ 'x-account': 'of upstream-key-1' }) };

onSqlite((_name, open) => {
  const prepare = async () => {
    const asked: SystemRequest[] = [];
    const play = { before: (_request: SystemRequest): void => undefined };
    const answer = { status: 200, text: '{"data":[{"id":"m1"}],"result":[{"name":"m2"}]}' };
    const upstream = async (request: SystemRequest) => {
      asked.push(request);
      play.before(request);
      return answer;
    };
    const kit: ApiKit = await createApiKit(await open(), { upstream });
    const as: KitUser = await kit.user('admin', 10);
    const act = async (method: string, where: string, body?: unknown, language = 'zh') =>
      (await kit.call({ method, path: `/api/channel/${where}`, body, as, headers: { 'Accept-Language': language } })).json;
    return { asked, act, answer, play };
  };

  test('the check of an upstream goes the way of the channel: its proxy, its headers, its whole mapping', async () => {
    const { asked, act } = await prepare();
    const model_mapping = '{"a":"b","b":"c"}';
    await act('POST', '', { ...channel, setting, header_override, model_mapping });
    expect((await act('GET', 'test_upstream/1')).data.client_types).toContain('openai-models');
    expect(asked.length).toBeGreaterThan(5);
    for (const request of asked) expect(request).toMatchObject(way);
    const models = asked.flatMap(({ body }) => (body === undefined ? [] : (JSON.parse(String(body)).model ?? [])));
    expect(new Set(models)).toEqual(new Set(['c']));
  });

  test('the check of a key with several organizations is that of the one which calls are made in', async () => {
    const { asked, act } = await prepare();
    await act('POST', '', { ...channel, openai_organization: 'org-1' });
    await act('GET', 'test_upstream/1');
    expect(asked.length).toBeGreaterThan(5);
    for (const { headers } of asked) expect(headers).toMatchObject({ 'openai-organization': 'org-1' });
  });

  test('the check asks behind a gateway where calls go', async () => {
    const { asked, act } = await prepare();
    const base_url = 'https://gateway.ai.cloudflare.com/v1/acc/gw/openai';
    await act('POST', '', { type: 1, name: 'one', key: 'upstream-key-1', models: 'a', group: 'default', base_url });
    await act('GET', 'test_upstream/1');
    const urls = asked.map(({ url }) => String(url));
    expect(urls).toContain(`${base_url}/chat/completions`);
    expect(urls).not.toContain(`${base_url}/v1/chat/completions`);
  });

  test('the list for a channel that is being typed is asked for with all that is typed', async () => {
    const { asked, act } = await prepare();
    const typed = { type: 39, key: 'upstream-key-1', base_url: '', other: 'the-account', setting, header_override };
    expect((await act('POST', 'fetch_models', typed)).data).toEqual(['m2']);
    expect(asked).toMatchObject([way]);
    expect(String(asked[0]?.url)).toContain('/accounts/the-account/');
    await act('POST', 'fetch_models', { type: 1, key: 'upstream-key-1', base_url: '', openai_organization: 'org-1' });
    expect(asked.pop()?.headers).toMatchObject({ 'openai-organization': 'org-1' });
    for (const wrong of [
      { setting: '{' },
      { setting: '{"proxy":"ftp://x"}' },
      { header_override: '{"authorization":"Bearer x"}' },
    ])
      expect((await act('POST', 'fetch_models', { ...typed, ...wrong })).message).toBe('Invalid request');
    expect(asked).toHaveLength(1);
  });

  test('why there is no list says what the upstream said, without the key', async () => {
    const { act, answer } = await prepare();
    const title = '<html><head><title>Welcome to nginx!</title></head><body><p>a page</p></body></html>';
    for (const [status, text, message] of [
      [
        401,
        '{"error":{"message":"Incorrect API key provided: upstream-key-1."}}',
        'status code 401: Incorrect API key provided: ***.',
      ],
      [404, title, 'status code 404: Welcome to nginx!'],
      [200, title, '解析响应失败: a web page, not JSON: Welcome to nginx!'],
      [200, '{"data":7}', '解析响应失败: data is not a list'],
    ] as const) {
      Object.assign(answer, { status, text });
      const typed = { type: 1, key: 'upstream-key-1', base_url: 'https://up.example' };
      expect((await act('POST', 'fetch_models', typed)).message).toBe(message);
    }
  });

  test('an upstream that nobody answers for is told in the words of the system, once', async () => {
    const { act, play } = await prepare();
    play.before = () => {
      throw faultOf(Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:80'), { code: 'ECONNREFUSED' }));
    };
    const typed = { type: 1, key: 'upstream-key-1', base_url: 'https://up.example' };
    expect((await act('POST', 'fetch_models', typed)).message).toBe('connect ECONNREFUSED 10.0.0.7:80');
  });

  test('an upstream in a private network is refused with what to do, in the language of who asked', async () => {
    const { act, play } = await prepare();
    await act('POST', '', { ...channel, base_url: 'http://10.0.0.7:11434' });
    const guard = createGuard({ allowPrivate: [], rewrite: [] });
    play.before = ({ url }) => {
      try {
        guard.target(new URL(url));
      } catch (error) {
        throw faultOf(error);
      }
    };
    const typed = { type: 1, key: 'upstream-key-1', base_url: 'http://10.0.0.7:11434' };
    for (const [language, text] of [
      ['zh', /^10\.0\.0\.7 是内网地址.*环境变量 ALLOW_PRIVATE_UPSTREAMS.*重启/],
      ['en', /^10\.0\.0\.7 is a private address: .*environment variable ALLOW_PRIVATE_UPSTREAMS and restart/],
    ] as const) {
      for (const [method, where, body] of [
        ['GET', 'test/1', undefined],
        ['GET', 'fetch_models/1', undefined],
        ['POST', 'fetch_models', typed],
      ] as const)
        expect(await act(method, where, body, language), where).toMatchObject({
          success: false,
          message: expect.stringMatching(text),
        });
    }
  });
});
