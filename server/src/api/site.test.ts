import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

onEachEngine((_name, open) => {
  test('monitors of administrators learn whether the database answers, and how many calls are under way', async () => {
    const kit = await createApiKit(await open());
    const as = await kit.root();
    const ask = () => kit.call({ path: '/api/status/test', as });
    expect((await ask()).json).toEqual({
      success: true,
      message: 'Server is running',
      http_stats: { active_connections: 3 },
    });
    expect((await kit.call({ path: '/api/status/test' })).status).toBe(401);
    kit.deps.health.ping = () => Promise.reject(new Error('the connection is gone'));
    const gone = await ask();
    expect([gone.status, gone.json]).toEqual([503, { success: false, message: '数据库连接失败' }]);
  });

  test('a long answer is packed for who takes that, and for nobody else', async () => {
    const kit = await createApiKit(await open());
    const { cookie, id } = await kit.root();
    const ask = (path: string, encodings: string, more: Record<string, string> = {}) =>
      kit.app.request(`http://console.test${path}`, {
        headers: { Cookie: cookie, 'New-Api-User': String(id), 'Accept-Encoding': encodings, ...more },
      });
    const plain = await ask('/api/option/', 'gzip;q=0');
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'Accept-Encoding']);
    const text = await plain.text();
    expect(JSON.parse(text).data.length).toBeGreaterThan(100);
    const short = await ask('/api/option/', 'br, gzip');
    expect(Object.fromEntries(short.headers)).toMatchObject({
      ...{ 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'content-type': 'application/json' },
      'cache-control': 'no-store',
    });
    const bytes = Buffer.from(await short.arrayBuffer());
    expect(gunzipSync(bytes).toString()).toBe(text);
    expect(bytes.length).toBeLessThan(text.length / 2);
    const described = await ask('/api/openapi.json', 'gzip');
    expect(described.headers.get('content-disposition')).toContain('openapi.json');
    expect(JSON.parse(gunzipSync(Buffer.from(await described.arrayBuffer())).toString()).openapi).toMatch(/^3/);
    expect((await ask('/api/about', 'gzip')).headers.get('content-encoding')).toBeNull();
    const tag = (await ask('/api/status', 'gzip')).headers.get('etag') ?? '';
    expect((await ask('/api/status', 'gzip', { 'If-None-Match': tag })).status).toBe(304);
    expect((await ask('/api/status', '')).headers.get('etag')).not.toBe(tag);
  });

  test('a site is set up at its first start, and tells clients that ask', async () => {
    const kit = await createApiKit(await open());
    expect((await kit.call({ path: '/api/setup' })).json.data).toEqual({ status: true, root_init: false, database_type: '' });
    const body = { username: 'eve', password: 'another-horse-7', confirmPassword: 'another-horse-7' };
    const again = await kit.call({ method: 'POST', path: '/api/setup', body });
    expect([again.status, again.json]).toEqual([400, { success: false, message: '系统已经初始化完成' }]);
    expect(await kit.db.read.selectFrom('users').select('username').execute()).toEqual([{ username: 'root' }]);
  });
});
