import { role, routes } from '@tollgate/contract';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitAnswer, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import type { AnyRoute } from './types.ts';

const everyRoute = Object.values(routes).flatMap((group) => Object.values<AnyRoute>(group));
const named = everyRoute.map((route): [string, AnyRoute] => [`${route.method} ${route.path}`, route]);
/** Ends the session that the walk still needs. */
const isLogout = (route: AnyRoute) => route === routes.account.logout;
const pathOf = (route: AnyRoute) => route.path.replace(':id', '999999');
const needed = { user: role.common, admin: role.admin, root: role.root } as const;

function isEnvelope(answer: KitAnswer): boolean {
  const { json } = answer;
  return typeof json?.success === 'boolean' && typeof json.message === 'string' && !answer.text.includes('    at ');
}

const token = {
  name: 't',
  remain_quota: 5,
  unlimited_quota: false,
  expired_time: -1,
  allow_ips: '',
  model_limits: '',
  group: '',
};
const channel = { type: 1, name: 'c', key: 'sk-upstream-key-1', models: 'gpt-4o', group: 'default' };
/** Bodies that each route accepts as they are. */
const acceptable = new Map<AnyRoute, object>([
  [routes.account.register, { username: 'fuzz', password: 'a-fine-password-1' }],
  [routes.account.login, { username: 'root', password: 'wrong-password-1' }],
  [routes.account.updateSelf, { display_name: 'Fuzz' }],
  [routes.channel.create, channel],
  [routes.channel.update, { id: 1, ...channel }],
  [routes.token.create, token],
  [routes.token.update, { id: 1, ...token }],
  [routes.option.save, { key: 'Notice', value: 'hello' }],
]);

onEachEngine((_name, open) => {
  describe('the route table', () => {
    let kit: ApiKit;
    let people: Record<'common' | 'admin' | 'root', KitUser>;
    beforeAll(async () => {
      kit = await createApiKit(await open());
      people = { common: await kit.user('common'), admin: await kit.user('admin', role.admin), root: await kit.root() };
    });

    describe.each(named)('%s', (_title, route) => {
      const send = (headers: Record<string, string>) =>
        kit.call({ method: route.method, path: pathOf(route), headers, ...(route.body === undefined ? {} : { body: {} }) });

      test('refuses whom its access names, and nobody gets a 500', async () => {
        for (const [who, person] of Object.entries(people)) {
          if (isLogout(route)) continue;
          const answer = await send({ Cookie: person.cookie, 'New-Api-User': String(person.id) });
          expect(isEnvelope(answer), `${who}: ${answer.text}`).toBe(true);
          expect(answer.status).toBeLessThan(500);
          if (route.access === 'none' || route.access === 'try') continue;
          const rank = { common: role.common, admin: role.admin, root: role.root }[who as keyof typeof people];
          const denied = answer.json.message === '无权进行此操作，权限不足';
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
          expect(answer.status).toBe(404);
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
        expect(headers.get('cache-control')).toBe('no-store');
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

    describe('bad input never gives a 500 and never anything but an envelope', () => {
      const word = fc.oneof(
        fc.string({ maxLength: 40, unit: 'binary' }),
        fc.constantFrom('', '-1', '1e9', 'NaN', '%', '\u0000', "'", '9'.repeat(30)),
      );
      const names =
        'p size page_size type keyword token group model id_sort tag_mode status_only start_timestamp channel username model_name'.split(
          ' ',
        );
      const query = fc.dictionary(fc.constantFrom(...names), word, { maxKeys: 5 });
      const fieldNames =
        'id name key type status models group username password email aff_code original_password display_name remain_quota expired_time unlimited_quota allow_ips model_limits base_url model_mapping setting weight priority tag copy_from value'.split(
          ' ',
        );
      const plausible = fc.oneof(
        fc.constantFrom<unknown>(
          1,
          2,
          0,
          -1,
          2 ** 53,
          1.5,
          true,
          null,
          '',
          '1',
          'gpt-4o',
          'default',
          '{}',
          '{"a":"b"}',
          'https://a.test/',
          'http://',
          '1.2.3.4/40',
        ),
        word,
        fc.jsonValue({ maxDepth: 3 }),
      );
      /** A body that would be accepted, with some of its fields replaced. */
      const nearlyRight = (route: AnyRoute) =>
        fc
          .dictionary(fc.constantFrom(...fieldNames), plausible, { maxKeys: 4 })
          .map((fields) => JSON.stringify({ ...acceptable.get(route), ...fields }));
      const bodyFor = (route: AnyRoute) =>
        fc.oneof(
          { weight: 4, arbitrary: nearlyRight(route) },
          fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
          word,
        );

      test.each(named.filter(([, route]) => !isLogout(route)))('%s', async (_title, route) => {
        // It may change its password: nobody else's session should end here.
        const as = route === routes.account.updateSelf ? people.common : people.root;
        await fc.assert(
          fc.asyncProperty(query, bodyFor(route), fc.nat(3), async (values, text, id) => {
            const path = `${route.path.replace(':id', String(id))}?${new URLSearchParams(values)}`;
            const payload = route.method === 'GET' || route.method === 'DELETE' ? {} : { text };
            const answer = await kit.call({ method: route.method, path, as, ...payload, peer: '198.51.100.7' });
            expect(isEnvelope(answer), answer.text).toBe(true);
            expect(answer.status, `${path} ${text} ${JSON.stringify(kit.logged.at(-1))}`).toBeLessThan(500);
          }),
          { numRuns: 60, endOnFailure: true },
        );
        expect((await kit.call({ path: '/api/user/self', as: people.root })).status).toBe(200);
      });
    });

    test('the fuzzed run left nothing in the error log', () => {
      expect(kit.logged).toEqual([]);
    });
  });
});
