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

  test('a site is set up at its first start, and tells clients that ask', async () => {
    const kit = await createApiKit(await open());
    expect((await kit.call({ path: '/api/setup' })).json.data).toEqual({ status: true, root_init: false, database_type: '' });
    const body = { username: 'eve', password: 'another-horse-7', confirmPassword: 'another-horse-7' };
    const again = await kit.call({ method: 'POST', path: '/api/setup', body });
    expect([again.status, again.json]).toEqual([400, { success: false, message: '系统已经初始化完成' }]);
    expect(await kit.db.read.selectFrom('users').select('username').execute()).toEqual([{ username: 'root' }]);
  });
});
