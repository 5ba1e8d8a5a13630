import { describe, expect, it, vi } from 'vitest';
import { addressOf, type ClientDeps, createCall } from './client.ts';
import { ApiError } from './errors.ts';
import { routes } from './routes.ts';

const reply = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

function client(answer: () => Response | Promise<Response>, more: Partial<ClientDeps> = {}) {
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => answer());
  const onUnauthorized = vi.fn();
  const call = createCall({ fetch, userId: () => 7, languageTag: () => 'en', onUnauthorized, timeoutMs: 1000, ...more });
  return { call, fetch, onUnauthorized };
}

const fault = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${error}`);
  return error;
};

describe('the client', () => {
  it('knows every route of the contract by method and path', () => {
    expect(routes.token.get).toEqual({ method: 'GET', path: '/api/token/:id' });
    expect(routes.account.updateSelf).toEqual({ method: 'PUT', path: '/api/user/self' });
  });

  it('names the user, forbids caching and asks in the language of the page', async () => {
    const { call, fetch } = client(() => reply({ success: true, message: '', data: { id: 3 } }));
    expect(await call(routes.token.get, { params: { id: 3 } })).toEqual({ id: 3 });
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(url).toBe('/api/token/3');
    const headers = new Headers(init?.headers);
    expect(headers.get('New-Api-User')).toBe('7');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('Accept-Language')).toBe('en');
    expect(headers.get('Content-Type')).toBeNull();
  });

  it('sends a body as JSON and leaves empty filters out of the address', async () => {
    const { call, fetch } = client(() => reply({ success: true, message: '' }));
    await call(routes.account.login, { body: { username: 'a', password: 'b' } });
    expect(fetch.mock.calls[0]?.[1]).toMatchObject({ method: 'POST', body: '{"username":"a","password":"b"}' });
    expect(addressOf('/api/channel/search', {}, { keyword: 'a&b', group: '', model: undefined, id_sort: 'true' })).toBe(
      '/api/channel/search?keyword=a%26b&id_sort=true',
    );
    expect(addressOf('/api/token/:id', { id: '../x' })).toBe('/api/token/..%2Fx');
  });

  it('sends a write that comes again while it is under way once, and gives both its answer', async () => {
    let answers: (() => void)[] = [];
    const { call, fetch } = client(
      () => new Promise<Response>((resolve) => answers.push(() => resolve(reply({ success: true, message: '', data: ['a'] })))),
    );
    const create = (name: string) => call(routes.redemption.create, { body: { name, quota: 5, count: 1 } });
    const answerAll = () => {
      const due = answers;
      answers = [];
      for (const answer of due) answer();
    };
    const twice = [create('gift'), create('gift')];
    answerAll();
    expect(await Promise.all(twice)).toEqual([['a'], ['a']]);
    expect(fetch).toHaveBeenCalledTimes(1);
    // Once it is answered the same is meant again; and behind another one too.
    const again = [create('gift'), create('other'), create('gift')];
    answerAll();
    await Promise.all(again);
    expect(fetch).toHaveBeenCalledTimes(4);
  });

  it('lets the same be sent again after a refusal, and asks every question by itself', async () => {
    const { call, fetch } = client(() => reply({ success: false, message: 'no' }));
    const create = () => call(routes.redemption.create, { body: { name: 'gift', quota: 5, count: 1 } });
    expect(await Promise.all([fault(create()), fault(create())])).toMatchObject([{ message: 'no' }, { message: 'no' }]);
    await fault(create());
    expect(fetch).toHaveBeenCalledTimes(2);
    await Promise.all([fault(call(routes.account.self)), fault(call(routes.account.self))]);
    expect(fetch).toHaveBeenCalledTimes(4);
  });

  it("turns a refusal into the server's words with the request id", async () => {
    const { call } = client(() => reply({ success: false, message: '用户名已存在' }, 200, { 'X-Oneapi-Request-Id': 'r1' }));
    expect(await fault(call(routes.account.self))).toMatchObject({ message: '用户名已存在', status: 200, requestId: 'r1' });
  });

  it('says what an HTTP error means when the server says nothing', async () => {
    const texts = [
      [429, '错误：请求次数过多，请等待9秒后再试！'],
      [500, '错误：服务器内部错误，请联系管理员！'],
      [405, '本站仅作演示之用，无服务端！'],
      [418, '错误：HTTP 418'],
    ] as const;
    for (const [status, text] of texts) {
      const { call } = client(() => new Response('<html>', { status, headers: { 'Retry-After': '9' } }));
      expect(await fault(call(routes.site.status))).toMatchObject({ status, message: text, retryAfterSeconds: 9 });
    }
  });

  /** Browsers have errors of their own where an answer cannot be read. */
  function unreadable(status: number, error: Error) {
    const response = new Response('', { status });
    vi.spyOn(response, 'json').mockRejectedValue(error);
    return client(() => response);
  }

  it('takes the page of a proxy for what it is in Safari, where what is no JSON is a DOMException', async () => {
    const { call } = unreadable(413, new DOMException('The string did not match the expected pattern.', 'SyntaxError'));
    expect(await fault(call(routes.site.status))).toMatchObject({ status: 413, message: '错误：HTTP 413' });
  });

  it('knows nothing of what was done when the answer breaks off', async () => {
    const { call } = unreadable(200, new TypeError('network error'));
    const lost = { status: 0, message: '无法连接到服务器' };
    expect(await fault(call(routes.token.remove, { params: { id: 1 } }))).toMatchObject(lost);
  });

  it('reports an ended session once per call, and only to those who had one', async () => {
    const { call, onUnauthorized } = client(() => reply({ success: false, message: 'x' }, 401));
    expect((await fault(call(routes.account.self))).status).toBe(401);
    expect(onUnauthorized).toHaveBeenCalledTimes(1);
    const visitor = client(() => reply({ success: false, message: 'x' }, 401), { userId: () => -1 });
    await fault(visitor.call(routes.account.self));
    expect(visitor.onUnauthorized).not.toHaveBeenCalled();
  });

  it('asks once more after a 401: a bind elsewhere has renewed the session meanwhile', async () => {
    const answers = [reply({ success: false, message: 'x' }, 401), reply({ success: true, message: '', data: { id: 7 } })];
    const { call, onUnauthorized } = client(() => answers.shift() ?? reply({}, 500));
    expect(await call(routes.account.self)).toEqual({ id: 7 });
    expect(onUnauthorized).not.toHaveBeenCalled();
  });

  it('ends nobody else: a late answer to the one before says nothing about who has signed in since', async () => {
    for (const before of [-1, 3]) {
      let userId = before;
      const answer = Promise.withResolvers<Response>();
      const { call, onUnauthorized } = client(() => answer.promise, { userId: () => userId });
      const refused = fault(call(routes.account.self));
      userId = 7;
      answer.resolve(reply({ success: false, message: 'x' }, 401));
      expect((await refused).status).toBe(401);
      expect(onUnauthorized).not.toHaveBeenCalled();
    }
  });

  it('tells a lost connection from a refused one, and lets an abort be an abort', async () => {
    const lost = client(() => Promise.reject(new TypeError('failed')));
    expect(await fault(lost.call(routes.account.self))).toMatchObject({ status: 0, message: '无法连接到服务器' });
    const abort = new AbortController();
    abort.abort();
    const aborted = client(() => Promise.reject(abort.signal.reason));
    await expect(aborted.call(routes.account.self, { signal: abort.signal })).rejects.toBe(abort.signal.reason);
  });
});
