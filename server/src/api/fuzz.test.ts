import { role, routes } from '@tollgate/contract';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitAnswer, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import type { AnyRoute } from './types.ts';

const named = Object.values(routes)
  .flatMap((group) => Object.values<AnyRoute>(group))
  .map((route): [string, AnyRoute] => [`${route.method} ${route.path}`, route]);
/** Ends the session that the run still needs. */
const isLogout = (route: AnyRoute) => route === routes.account.logout;

function isEnvelope(answer: KitAnswer): boolean {
  const { json } = answer;
  // A file that came through; a refusal of one is an envelope like any other.
  if (answer.status === 200 && answer.headers.has('content-disposition')) return true;
  return typeof json?.success === 'boolean' && typeof json.message === 'string' && !answer.text.includes('    at ');
}

const own = new Set<AnyRoute>([routes.account.updateSelf, ...Object.values<AnyRoute>(routes.personal)]);
const management = new Set<AnyRoute>(Object.values<AnyRoute>(routes.users));

/** Routes that may change passwords or end sessions get callers whose own session nobody else needs. */
function callerOf(route: AnyRoute): 'common' | 'editor' | 'root' {
  if (own.has(route)) return 'common';
  return management.has(route) ? 'editor' : 'root';
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
  [routes.users.create, { username: 'fuzz2', password: 'a-fine-password-1', display_name: '' }],
  [routes.users.update, { id: 2, username: 'fuzz3', display_name: 'F', group: 'default', quota: 5 }],
  [routes.users.manage, { id: 2, action: 'disable' }],
  [routes.personal.transferInvites, { quota: 500_000 }],
  [routes.personal.saveSetting, { notify_type: 'email', quota_warning_threshold: 1 }],
  [routes.notify.test, { way: 'webhook' }],
  [routes.announcement.create, { title: 't', content: 'c' }],
  [routes.announcement.update, { id: 1, title: 't', content: 'c' }],
  [routes.channel.create, channel],
  [routes.channel.update, { id: 1, ...channel }],
  [routes.token.create, token],
  [routes.token.update, { id: 1, ...token }],
  [routes.redemption.create, { name: 'n', quota: 5, count: 2 }],
  [routes.redemption.update, { id: 1, name: 'n', quota: 5 }],
  [routes.topup.redeem, { key: '0'.repeat(32) }],
  [routes.topup.amount, { amount: 10 }],
  [routes.topup.pay, { amount: 10, payment_method: 'alipay' }],
  [routes.payment.credit, { user_id: 1, quota: 5 }],
  [routes.option.save, { key: 'Notice', value: 'hello' }],
]);

onEachEngine((_name, open) => {
  let kit: ApiKit;
  let people: Record<'common' | 'editor' | 'root', KitUser>;
  beforeAll(async () => {
    kit = await createApiKit(await open());
    people = { common: await kit.user('common'), editor: await kit.user('editor', role.admin), root: await kit.root() };
  });

  describe('bad input never gives a 500 and never anything but an envelope', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 40, unit: 'binary' }),
      fc.constantFrom('', '-1', '1e9', 'NaN', '%', '\u0000', "'", '9'.repeat(30)),
    );
    const names =
      'p size page_size peek actor action end_timestamp type keyword token group model id_sort tag_mode status_only start_timestamp channel username model_name'.split(
        ' ',
      );
    const query = fc.dictionary(fc.constantFrom(...names), word, { maxKeys: 5 });
    const fieldNames =
      'id action quota role notify_type quota_warning_threshold webhook_url webhook_secret notification_email name key type status models group username password email aff_code original_password display_name remain_quota expired_time unlimited_quota allow_ips model_limits base_url model_mapping setting weight priority tag copy_from value'.split(
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
      const as = people[callerOf(route)];
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
