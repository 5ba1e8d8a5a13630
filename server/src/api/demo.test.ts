import { role, routes } from '@tollgate/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { refuseAtDemo } from './demo.ts';
import type { AnyRoute } from './types.ts';

const everyRoute = Object.values(routes).flatMap((group) => Object.values<AnyRoute>(group));

function isRefused(route: AnyRoute, userRole?: number): boolean {
  try {
    refuseAtDemo(route, userRole);
    return false;
  } catch {
    return true;
  }
}

const pathsOf = (wanted: (route: AnyRoute) => boolean) =>
  everyRoute
    .filter(wanted)
    .map(({ path }) => path)
    .toSorted();

test('a demo refuses every write but coming in and questions; a new route that writes must be named here to be let through', () => {
  expect(pathsOf((route) => route.method !== 'GET' && !isRefused(route, role.admin))).toEqual([
    '/api/route/explain',
    '/api/user/amount',
    '/api/user/checkout/amount',
    '/api/user/login',
    '/api/user/passkey/login',
    '/api/user/passkey/login/options',
    '/api/user/totp/login',
  ]);
});

test('a demo refuses readings that act: mails, bindings, calls on the operator’s account', () => {
  const ofVisitors = pathsOf((route) => route.method === 'GET' && isRefused(route, role.admin));
  expect(ofVisitors).toEqual([
    '/api/channel/fetch_models/:id',
    '/api/channel/models_diff/:id',
    '/api/channel/test',
    '/api/channel/test/:id',
    '/api/channel/test_upstream/:id',
    '/api/channel/update_balance',
    '/api/channel/update_balance/:id',
    '/api/oauth/email/bind',
    '/api/oauth/github',
    '/api/oauth/linuxdo',
    '/api/oauth/oidc',
    '/api/oauth/telegram/bind',
    '/api/oauth/wechat/bind',
    '/api/reset_password',
    '/api/user/token',
    '/api/user/wxpusher/qrcode',
    '/api/user/wxpusher/status',
    '/api/verification',
  ]);
  const doors = ['/api/oauth/github', '/api/oauth/linuxdo', '/api/oauth/oidc'];
  expect(pathsOf((route) => route.method === 'GET' && isRefused(route))).toEqual(
    ofVisitors.filter((path) => !doors.includes(path)),
  );
  expect(pathsOf((route) => isRefused(route, role.root))).toEqual([]);
});

onEachEngine((_name, open) => {
  describe('a demo', () => {
    let kit: ApiKit;
    let root: KitUser;
    let visitors: KitUser[];
    beforeEach(async () => {
      kit = await createApiKit(await open());
      visitors = [await kit.user('visitor'), await kit.user('helper', role.admin)];
      root = await kit.root();
      await set('DemoSiteEnabled', true);
    });
    const set = (key: string, value: boolean) =>
      kit.call({ method: 'PUT', path: '/api/option/', body: { key, value }, as: root });

    const send = (route: AnyRoute, as?: KitUser) =>
      kit.call({
        method: route.method,
        path: route.path.replace(':id', '999999'),
        ...(as === undefined ? {} : { as }),
        ...(route.body === undefined ? {} : { body: {} }),
      });

    test('answers visitors who would change something with the text for it', async () => {
      for (const as of [undefined, ...visitors]) {
        const answer = await send(as === undefined ? routes.account.register : routes.token.create, as);
        expect([answer.status, answer.json.success, answer.json.message]).toEqual([405, false, '本站仅作演示之用，无服务端！']);
      }
    });

    test('is read and run as ever: visitors look around, the super administrator changes what there is', async () => {
      for (const as of visitors) expect((await send(routes.token.list, as)).json.success).toBe(true);
      expect((await kit.call({ path: '/api/status' })).json.data).toMatchObject({
        demo_site_enabled: true,
        register_enabled: false,
      });
      const saved = { notify_type: 'email', quota_warning_threshold: 1 };
      expect((await kit.call({ method: 'PUT', path: routes.personal.saveSetting.path, body: saved, as: root })).status).toBe(200);
      expect((await set('DemoSiteEnabled', false)).json.success).toBe(true);
      expect((await send(routes.token.create, visitors[0])).status).toBe(200);
    });

    test('nobody registers where a gateway is for its owner alone, and pages are told so', async () => {
      await set('DemoSiteEnabled', false);
      await set('SelfUseModeEnabled', true);
      const body = { username: 'stranger', password: 'correct-horse-9' };
      const answer = await kit.call({ method: 'POST', path: '/api/user/register', body });
      expect(answer.json).toMatchObject({ success: false, message: '管理员关闭了新用户注册' });
      expect((await kit.call({ path: '/api/status' })).json.data).toMatchObject({ register_enabled: false });
    });
  });
});
