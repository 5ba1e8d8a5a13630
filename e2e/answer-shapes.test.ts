import { type LogEntry, type RouteDefinition, routes } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { shapeFault, shapesSeen } from '../server/test/answer-shapes.ts';
import type { Console } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { furnish, type Ids } from './support/furnished.ts';
import type { Gateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { postJson } from './support/post-json.ts';
import { startTaskUpstream } from './support/task-upstream.ts';

/** What these answer needs a stranger's service, a mail or a sign-in elsewhere; the tests of the API hold theirs to their shape. */
const elsewhere = new Set([
  'account.logout',
  ...['verification', 'requestReset', 'emailBind', 'oauthState', 'oauthAuthorize', 'github', 'linuxdo', 'oidc', 'wechat'].map(
    (name) => `signIn.${name}`,
  ),
  ...['signIn.wechatBind', 'signIn.telegram', 'signIn.telegramBind', 'notify.wxpusherCode', 'notify.wxpusherStatus'],
  ...['channelOps.updateBalance', 'channelOps.updateBalances', 'channelOps.fetchModels', 'channelOps.diffModels'],
  ...['channelOps.testUpstream', 'price.sync', 'log.ofKey', 'log.body'],
]);
/** What they will not answer without. */
const queries: Readonly<Record<string, string>> = { 'channelOps.tagModels': '?tag=west' };

const readable = Object.entries(routes).flatMap(([group, members]) =>
  Object.entries<RouteDefinition>(members).flatMap(([name, { method, path }]) => {
    const isFile = path.endsWith('/export') || path.endsWith('.json');
    const id = `${group}.${name}`;
    return method === 'GET' && !isFile && !elsewhere.has(id) ? [{ id, path }] : [];
  }),
);

/** A row of the log with its receipt and its way; the channel that served it stands for all. */
async function charge(gateway: Gateway, root: Console, ids: Ids): Promise<LogEntry> {
  const vendor = await ofTest(startMockUpstream());
  ids.channel = (await root.addChannel({ name: 'served', base_url: vendor.url, models: 'a-model' })).id;
  await root.setOption('ModelRatio', { 'a-model': 1 });
  const { key } = await root.addToken();
  const answer = await postJson(`${gateway.url}/v1/chat/completions`, key, {
    model: 'a-model',
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect(answer.status).toBe(200);
  const [row] = await root.logs();
  if (row === undefined) throw new Error('nothing was charged');
  return row;
}

onEachEngine((_engine, _open, kit) => {
  test('what every list, entry and report of an installation in use holds is what the description of the API says', async () => {
    const upstream = await ofTest(startTaskUpstream());
    const gateway = await ofTest(gatewayOn(kit));
    const root = await gateway.root();
    const ids = await furnish(gateway.url, root, upstream);
    const charged = await charge(gateway, root, ids);
    const entries = await root.call<{ id: number }[]>('GET', '/api/redemption/?p=0&page_size=10');
    const idOf = (path: string): number | undefined => {
      if (path.startsWith('/api/log/')) return charged.id;
      if (path.startsWith('/api/redemption/')) return entries[0]?.id;
      if (path.startsWith('/api/statement/')) return ids.user;
      return ids[path.split('/')[2] ?? ''];
    };
    const refused: string[] = [];
    for (const { id, path } of readable) {
      const place = path.replace(':id', () => String(idOf(path))) + (queries[id] ?? '');
      // Throws for an answer that is not as described.
      const { body } = await root.raw('GET', place);
      if (!body.success) refused.push(`${id}: ${body.message}`);
    }
    expect(refused).toEqual([]);
    expect(readable.map(({ id }) => id).filter((id) => !shapesSeen.has(id))).toEqual([]);
    expect(readable.length).toBeGreaterThan(60);
  });
});

test('an answer with a field that is not described, without one that is, or with data where there is none is noticed', () => {
  const good = { success: true, message: '', data: { ok: true, checked_at: 1, checks: [] } };
  expect(shapeFault('GET', '/api/doctor', good)).toBeUndefined();
  expect(shapeFault('GET', '/api/doctor?p=1', { ...good, data: { ...good.data, more: 1 } })).toContain('additional');
  expect(shapeFault('GET', '/api/doctor/', { ...good, data: { ok: true, checks: [] } })).toContain('checked_at');
  expect(shapeFault('PUT', '/api/user/self', good)).toContain('no data');
  expect(shapeFault('GET', '/api/doctor', { success: false, message: 'no' })).toBeUndefined();
});
