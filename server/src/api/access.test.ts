import { role, routes } from '@tollgate/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitAnswer, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { DatabaseError, type DatabaseErrorKind } from '../storage/errors.ts';
import type { AnyRoute } from './types.ts';

const everyRoute = Object.values(routes).flatMap((group) => Object.values<AnyRoute>(group));
const named = everyRoute.map((route): [string, AnyRoute] => [`${route.method} ${route.path}`, route]);
const isLogout = (route: AnyRoute) => route === routes.account.logout;
/** Ends the session that the walk still needs. */
const isFarewell = (route: AnyRoute) => isLogout(route) || route === routes.personal.removeSelf;
const pathOf = (route: AnyRoute) => route.path.replace(':id', '999999');
const needed = { user: role.common, admin: role.admin, root: role.root } as const;

function isEnvelope(answer: KitAnswer): boolean {
  const { json } = answer;
  return typeof json?.success === 'boolean' && typeof json.message === 'string' && !answer.text.includes('    at ');
}

onEachEngine((_name, open) => {
  describe('the route table', () => {
    let kit: ApiKit;
    let people: Record<'common' | 'admin' | 'root', KitUser>;
    beforeAll(async () => {
      kit = await createApiKit(await open());
      people = { common: await kit.user('common'), admin: await kit.user('admin', role.admin), root: await kit.root() };
    });

    test('pages, sizes and ids beyond their bounds are refused or clamped on every route (R-34)', async () => {
      const headers = { Cookie: people.root.cookie, 'New-Api-User': String(people.root.id) };
      const send = (path: string, method = 'GET') =>
        kit.call({ method, path, headers, ...(method === 'GET' ? {} : { body: {} }) });
      const read = named.filter(([, { method, query }]) => method === 'GET' && query !== undefined);
      const takes = (route: AnyRoute, query: string) =>
        route.query?.safeParse(Object.fromEntries(new URLSearchParams(query))).success;
      let pages = 0;
      for (const [title, route] of read) {
        if (takes(route, 'p=0') === takes(route, 'p=100001')) continue;
        pages += 1;
        const path = pathOf(route);
        for (const page of ['100001', '1.5', 'x', '1e999'])
          expect((await send(`${path}?p=${page}`)).json.success, `${title} p=${page}`).toBe(false);
        for (const name of ['size', 'page_size'])
          expect((await send(`${path}?p=0&${name}=1000000`)).status, `${title} ${name}`).toBe(200);
      }
      expect(pages).toBeGreaterThan(15);
      const withId = named.filter(([, { path }]) => path.includes(':id'));
      expect(withId.length).toBeGreaterThan(10);
      for (const [title, { method, path }] of withId)
        for (const id of ['0', '-1', '1.5', '9007199254740993'])
          expect((await send(path.replace(':id', id), method)).json?.success, `${title} ${id}`).toBe(false);
    });

    describe.each(named)('%s', (_title, route) => {
      const send = (headers: Record<string, string>) =>
        kit.call({ method: route.method, path: pathOf(route), headers, ...(route.body === undefined ? {} : { body: {} }) });

      test('refuses whom its access names, and nobody gets a 500', async () => {
        for (const [who, person] of Object.entries(people)) {
          if (isFarewell(route)) continue;
          const answer = await send({ Cookie: person.cookie, 'New-Api-User': String(person.id) });
          // A file has no envelope; who may not have it gets one that says so.
          const isFile = answer.headers.has('content-disposition');
          expect(isFile || isEnvelope(answer), `${who}: ${answer.text}`).toBe(true);
          expect(answer.status).toBeLessThan(500);
          if (route.access === 'none' || route.access === 'try') continue;
          const rank = { common: role.common, admin: role.admin, root: role.root }[who as keyof typeof people];
          const denied = !isFile && answer.json.message === '无权进行此操作，权限不足';
          expect(denied, who).toBe(rank < needed[route.access]);
        }
      });

      test('a session proves itself by the header, an anonymous caller and an sk- token are nobody', async () => {
        if (route.access === 'none') return;
        const { cookie, id } = people.root;
        const attempts = {
          anonymous: await send({}),
          'header alone': await send({ 'New-Api-User': String(id) }),
          'no header': await send({ Cookie: cookie }),
          'wrong header': await send({ Cookie: cookie, 'New-Api-User': String(id + 1) }),
          'malformed header': await send({ Cookie: cookie, 'New-Api-User': 'root' }),
          'sk- token': await send({ Authorization: 'Bearer sk-0123456789abcdef', 'New-Api-User': String(id) }),
        };
        for (const [attempt, answer] of Object.entries(attempts)) {
          if (route.access !== 'try') expect([attempt, answer.status]).toEqual([attempt, 401]);
          // A cookie whose user the browser no longer knows shuts no door: there it is nobody's.
          else if (!isLogout(route)) expect([attempt, answer.json.message]).toEqual([attempt, attempts.anonymous.json.message]);
          expect(isEnvelope(answer)).toBe(true);
          expect(answer.status).toBeLessThan(500);
        }
        if (isLogout(route)) {
          for (const attempt of ['no header', 'wrong header'] as const) expect(attempts[attempt].status).toBe(401);
        }
      });

      test('requests that a browser marks as foreign do not reach it, HEAD and OPTIONS run nothing', async () => {
        const { cookie, id } = people.root;
        const own = { Cookie: cookie, 'New-Api-User': String(id) };
        if (route.access !== 'none' || route.method !== 'GET') {
          const marks: Record<string, string>[] = [
            { 'Sec-Fetch-Site': 'cross-site' },
            { 'Sec-Fetch-Site': 'same-site' },
            { Origin: 'https://evil.test' },
            { Origin: 'null' },
          ];
          for (const foreign of marks) {
            expect((await send({ ...own, ...foreign })).status).toBe(403);
          }
        }
        for (const method of ['HEAD', 'OPTIONS', 'PATCH']) {
          const answer = await kit.call({ method, path: pathOf(route), headers: own });
          // The one route that pages of other origins may read is asked for by them first.
          expect(answer.status).toBe(route === routes.log.ofKey && method === 'OPTIONS' ? 204 : 404);
        }
      });
    });

    test('both spellings of the trailing slash are one route, other spellings of the path are none', async () => {
      const as = people.admin;
      expect((await kit.call({ path: '/api/channel/', as })).json.success).toBe(true);
      expect((await kit.call({ path: '/api/channel', as })).json.success).toBe(true);
      for (const path of [
        '/api//channel',
        '/api/channel%2F',
        '/api/Channel',
        '/api/channel;x',
        '/api/channel.',
        '/api/nothing',
      ]) {
        const answer = await kit.call({ path, as });
        expect([path, answer.status]).toEqual([path, 404]);
        expect(answer.json.error.message).toMatch(/^Invalid URL \(GET /);
      }
    });

    test('literal segments win over ids', async () => {
      expect((await kit.call({ path: '/api/channel/models_enabled', as: people.admin })).json).toEqual({
        success: true,
        message: '',
        data: [],
      });
      expect((await kit.call({ path: '/api/channel/abc', as: people.admin })).json.message).toBe('无效的参数');
    });

    test('every answer carries its request id and forbids storing, framing and sniffing', async () => {
      for (const path of ['/api/status', '/api/nothing', '/api/user/self']) {
        const { headers } = await kit.call({ path });
        expect(headers.get('x-oneapi-request-id')).toMatch(/^\d{23}[0-9A-Za-z]{8}$/);
        // What every page asks first, and what is the same for all, is only asked whether it changed.
        expect([path, headers.get('cache-control')]).toEqual([path, path === '/api/status' ? 'no-cache' : 'no-store']);
        expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('access-control-allow-origin')).toBeNull();
      }
    });

    test('bodies are JSON, plain, unambiguous and small, or they are refused', async () => {
      const send = (text: string, headers: Record<string, string> = {}) =>
        kit.call({ method: 'POST', path: '/api/token/', text, headers, as: people.admin });
      expect((await send('{"name":"x"}')).json.success).toBe(true);
      expect((await send('{"name":"x","name":"y"}')).status).toBe(400);
      expect((await send('{"name":"x","__proto__":{}}')).status).toBe(400);
      expect((await send('{"name":"x"}', { 'Content-Type': 'text/plain' })).status).toBe(400);
      expect((await send('{"name":"x"}', { 'Content-Type': 'application/x-www-form-urlencoded' })).status).toBe(400);
      expect((await send('{"name":"x"}', { 'Content-Encoding': 'gzip' })).status).toBe(400);
      expect((await send(`{"name":"${'x'.repeat(1_048_576)}"}`)).status).toBe(413);
      expect((await kit.call({ path: '/api/token/?p=0&p=1', as: people.admin })).json.message).toBe('无效的参数');
    });

    test('errors come in English to those who ask for it', async () => {
      const answer = await kit.call({ path: '/api/user/self', headers: { 'Accept-Language': 'en-GB,en;q=0.9' } });
      expect(answer.json.message).toBe('Not signed in and no access token given');
    });

    test('a system access token stands for its user, but not for a password change', async () => {
      const { sha256 } = await import('../platform/crypto.ts');
      const admin = people.admin;
      await kit.db.transaction((tx) =>
        tx.query
          .updateTable('users')
          .set({ access_token_hash: sha256('a'.repeat(32)) })
          .where('id', '=', admin.id)
          .execute(),
      );
      const headers = { Authorization: `Bearer ${'a'.repeat(32)}`, 'New-Api-User': String(admin.id) };
      expect((await kit.call({ path: '/api/channel/', headers })).json.success).toBe(true);
      expect((await kit.call({ path: '/api/channel/', headers: { ...headers, 'New-Api-User': '1' } })).status).toBe(401);
      const change = await kit.call({ method: 'PUT', path: '/api/user/self', body: { password: 'another-horse-77' }, headers });
      expect(change.json.message).toBe('无权进行此操作，权限不足');
    });
  });

  test('a failing database says whether a change may have been saved: who repeated it would have it twice', async () => {
    const db = await open();
    let failure: DatabaseErrorKind | undefined;
    const failing: typeof db = {
      ...db,
      transaction: (body, options) =>
        failure === undefined
          ? db.transaction(body, options)
          : Promise.reject(new DatabaseError(failure, '', 'the connection is gone')),
    };
    const kit = await createApiKit(failing);
    const as = await kit.root();
    const create = async (kind: DatabaseErrorKind) => {
      failure = kind;
      const { status, json } = await kit.call({ method: 'POST', path: '/api/token/', body: { name: 'a' }, as });
      return [status, json.success, json.message];
    };
    expect(await create('unknown')).toEqual([503, false, expect.stringContaining('可能已保存')]);
    for (const kind of ['busy', 'unavailable', 'full'] as const) {
      expect(await create(kind)).toEqual([503, false, '服务繁忙，请稍后再试']);
    }
  });
  test('what can only be read just now is shown to who is signed in: who is to make room on a full disk gets in', async () => {
    const db = await open();
    let isFull = false;
    const kit = await createApiKit({
      ...db,
      transaction: (body, options) =>
        isFull ? Promise.reject(new DatabaseError('full', 'SQLITE_FULL', 'disk is full')) : db.transaction(body, options),
    });
    const as = await kit.root();
    isFull = true;
    // By then it is written down again that the session is in use.
    kit.clock.advanceMs(120_000);
    expect((await kit.call({ path: '/api/user/self', as })).status).toBe(200);
    expect((await kit.call({ method: 'POST', path: '/api/token/', body: { name: 'a' }, as })).status).toBe(503);
  });
});
