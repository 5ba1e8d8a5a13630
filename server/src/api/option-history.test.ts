import type { OptionVersion } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const path = '/api/option/';
const save = async (kit: ApiKit, as: KitUser, ...pairs: [string, unknown][]) => {
  const body = pairs.map(([key, value]) => ({ key, value }));
  expect((await kit.call({ method: 'PUT', path, body, as })).json).toEqual({ success: true, message: '' });
};
const history = async (kit: ApiKit, as: KitUser, query = ''): Promise<OptionVersion[]> =>
  (await kit.call({ path: `/api/option/history${query}`, as })).json.data.items;
const undo = async (kit: ApiKit, as: KitUser, id: number) =>
  (await kit.call({ method: 'POST', path: '/api/option/rollback', body: { id }, as })).json;

onEachEngine((_name, open) => {
  describe('the history of options', () => {
    test('every save that changed something is one version with author and difference; a secret shows only that it changed', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, ['RetryTimes', 5], ['EpayKey', 'pay-secret-1'], ['UserUsableGroups', '{"default":"D","svip":"S"}']);
      await save(kit, as, ['RetryTimes', 5]);
      const versions = await history(kit, as);
      expect(versions).toMatchObject([{ author: 'root', changed: 5, note: '', restores: ['RetryTimes', 'UserUsableGroups'] }]);
      expect(versions[0]?.diff).toEqual([
        { option: 'RetryTimes', name: '', from: '2', to: '5' },
        { option: 'EpayKey', name: '', from: '', to: '', secret: true },
        { option: 'UserUsableGroups', name: 'default', from: '"默认分组"', to: '"D"' },
        { option: 'UserUsableGroups', name: 'vip', from: '"vip分组"', to: '' },
        { option: 'UserUsableGroups', name: 'svip', from: '', to: '"S"' },
      ]);
      const rows = await kit.db.read.selectFrom('option_version').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain('pay-secret-1');
    });

    test('a save of more changes than are kept one by one is found by each of its options', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`model-${index}`, 2]));
      await save(kit, as, ['ModelRatio', JSON.stringify(many)], ['CompletionRatio', '{"CacheRatio":3}']);
      for (const key of ['ModelRatio', 'CompletionRatio']) expect(await history(kit, as, `?key=${key}`)).toHaveLength(1);
      expect(await history(kit, as, '?key=CacheRatio')).toHaveLength(0);
    });

    test('another order of groups, in which people are shown them, is a change that can be taken back', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const [from, to] = ['{"default":"默认分组","vip":"vip分组"}', '{"vip":"vip分组","default":"默认分组"}'];
      await save(kit, as, ['UserUsableGroups', to]);
      const [newest] = await history(kit, as, '?key=UserUsableGroups');
      expect(newest).toMatchObject({ changed: 1, diff: [{ option: 'UserUsableGroups', name: '', from, to }] });
      expect(await undo(kit, as, newest?.id ?? 0)).toEqual({ success: true, message: '' });
      expect([...kit.deps.settings.current().UserUsableGroups.keys()]).toEqual(['default', 'vip']);
    });

    test('a save is taken back by one call, as a save of its own with audit rows; secrets stay', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, ['Notice', 'first']);
      await save(kit, as, ['Notice', 'second'], ['DrawingEnabled', false], ['EpayKey', 'pay-secret-1']);
      const [newest] = await history(kit, as);
      expect(await undo(kit, as, newest?.id ?? 0)).toEqual({ success: true, message: '' });
      const { Notice, DrawingEnabled, EpayKey } = kit.deps.settings.current();
      expect([Notice, DrawingEnabled, EpayKey]).toEqual(['first', true, 'pay-secret-1']);
      expect(await history(kit, as)).toMatchObject([{ note: `undo:${newest?.id}`, changed: 2 }, {}, {}]);
      const audited = await kit.db.read.selectFrom('audit').select('target').where('action', '=', 'option.change').execute();
      expect(audited.filter(({ target }) => target === 'option:Notice')).toHaveLength(3);
    });

    test('what others changed since stays: of a map the entries of that save alone go back', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, ['ModelRatio', '{"a":1,"b":1}']);
      await save(kit, as, ['ModelRatio', '{"a":2,"b":1,"c":3}'], ['RetryTimes', 7]);
      const [wrong] = await history(kit, as);
      await save(kit, as, ['ModelRatio', '{"a":2,"b":5,"c":3,"d":4}']);
      expect(await undo(kit, as, wrong?.id ?? 0)).toEqual({ success: true, message: '' });
      const { ModelRatio, RetryTimes } = kit.deps.settings.current();
      expect(Object.fromEntries(ModelRatio)).toEqual({ a: 1, b: 5, d: 4 });
      expect(RetryTimes).toBe(2);
    });

    test('what was changed again since is taken back from the newest save on: nothing of others goes with it', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, ['Notice', 'first'], ['ModelRatio', '{"a":1}']);
      const [first] = await history(kit, as);
      await save(kit, as, ['Notice', 'second'], ['ModelRatio', '{"a":2}']);
      const [second] = await history(kit, as);
      expect(await undo(kit, as, first?.id ?? 0)).toMatchObject({
        success: false,
        message: 'Notice 在此次修改之后又被改动，撤销会一并取消后来的改动：请先撤销后来的修改',
      });
      expect(kit.deps.settings.current().Notice).toBe('second');
      for (const version of [second, first])
        expect(await undo(kit, as, version?.id ?? 0)).toEqual({ success: true, message: '' });
      expect([kit.deps.settings.current().Notice, kit.deps.settings.current().ModelRatio.size]).toEqual(['', 0]);
    });

    test('what cannot be taken back says so, and nothing changes', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, ['SMTPToken', 'mail-secret-1']);
      const [newest] = await history(kit, as);
      expect((await undo(kit, as, newest?.id ?? 0)).message).toBe('此次修改没有可恢复的内容，密钥请重新填写');
      expect((await undo(kit, as, 999)).success).toBe(false);
      expect(kit.deps.settings.current().SMTPToken).toBe('mail-secret-1');
    });

    test('prices and other options share one history; it can be read by option', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, ['ModelRatio', '{"a":2}'], ['RetryTimes', 7]);
      await save(kit, as, ['Notice', 'has {"option":"RetryTimes", in it']);
      expect(await history(kit, as, '?key=RetryTimes')).toMatchObject([{ changed: 2 }]);
      const prices = (await kit.call({ path: '/api/price/versions', as })).json.data.items;
      expect(prices).toMatchObject([{ changed: 1, diff: [{ option: 'ModelRatio', name: 'a' }] }, { note: 'origin' }]);
      expect((await kit.call({ path: '/api/option/history?key=Nothing', as })).json.success).toBe(false);
    });

    test.each(['/api/option/history', '/api/price/versions'])('%s has pages like every other list', async (path) => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await save(kit, as, ['ModelRatio', '{"a":2}']);
      const page = async (query: string) => {
        const { page: number, page_size: size, items } = (await kit.call({ path: path + query, as })).json.data;
        return [number, size, items.length > 0];
      };
      expect(await page('?p=0&page_size=0')).toEqual([1, 10, true]);
      expect(await page('?p=-1&page_size=-5')).toEqual([1, 10, true]);
      expect(await page('?p=1&page_size=500')).toEqual([1, 100, true]);
      expect(await page('?p=2&page_size=2')).toEqual([2, 2, false]);
    });

    test('a long text is kept whole for the way back and cut where it is shown', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const long = 'x'.repeat(150_000);
      await save(kit, as, ['About', long]);
      await save(kit, as, ['About', '']);
      const [newest] = await history(kit, as);
      expect(newest?.diff[0]?.from.length).toBeLessThan(3000);
      await undo(kit, as, newest?.id ?? 0);
      expect(kit.deps.settings.current().About).toBe(long);
    });
  });

  describe('content', () => {
    test('is cleaned before it is stored; addresses are checked', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const stored = async (key: string, value: string) => {
        const { json } = await kit.call({ method: 'PUT', path, body: { key, value }, as });
        if (!json.success) return json.message;
        const list = (await kit.call({ path, as })).json.data as { key: string; value: string }[];
        return list.find((row) => row.key === key)?.value;
      };
      expect(await stored('Notice', '> a **note** & more')).toBe('> a **note** & more');
      expect(await stored('Footer', '<b onclick=x()>B</b><script>1</script>')).toBe('<b>B</b>');
      expect(await stored('About', 'https://about.example/page?x=1')).toBe('https://about.example/page?x=1');
      expect(await stored('About', 'http://about.example')).toBe('地址无效：应以 https:// 开头');
      expect(await stored('HomePageContent', 'javascript://x/%0aalert(1)')).toBe('地址无效：应以 https:// 开头');
      expect(await stored('Logo', 'data:image/svg+xml,x')).toBe('地址无效：应以 https:// 开头');
      expect(await stored('TopUpLink', 'javascript:alert(1)')).toBe('链接无效：不允许此类地址');
      expect(await stored('SystemName', ' House of <b>')).toBe('参数错误');
      expect(await stored('SystemName', ' House\nof cards ')).toBe('House of cards');
      expect(await stored('Chats', '[{"a":"javascript:alert(1)"}]')).toBe('链接无效：不允许此类地址');
      expect(await stored('PayMethods', '[{"name":"a","type":"b","color":"red;}</style>"}]')).toBe(
        '支付方式配置错误, 请联系管理员',
      );
    });

    test('a chat page gets keys by https alone and behind the #; what was stored before stays readable', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const save = async (key: string, value: string) => (await kit.call({ method: 'PUT', path, body: { key, value }, as })).json;
      const chats = (link: string) => save('Chats', JSON.stringify([{ good: 'https://a.example/#{key}' }, { bad: link }]));
      for (const plain of [
        'http://chat.example/#{key}',
        'HTTP://10.0.0.7/#{key}',
        'http:#{key}',
        'http://localhost.example/#k',
      ]) {
        expect((await chats(plain)).message, plain).toContain('「bad」应以 https:// 开头');
      }
      for (const query of ['https://chat.example/?k={key}', 'https://{key}.example/#', 'http://127.0.0.1/{key}']) {
        expect((await chats(query)).message, query).toContain('「bad」中的 {key} 应放在 # 之后');
      }
      expect((await save('ChatLink', 'http://chat.example/#{key}')).message).toContain('应以 https:// 开头');
      for (const fine of [
        'https://chat.example/?a={address}#{key}',
        'http://localhost:3210/#{key}',
        'http://[::1]/#',
        'ama://k={key}',
      ]) {
        expect((await chats(fine)).success, fine).toBe(true);
      }
      const old = { value: '[{"old":"http://chat.example/?k={key}"}]' };
      await kit.db.transaction((tx) => tx.query.updateTable('option').set(old).where('key', '=', 'Chats').execute());
      expect((await save('SystemName', 'a')).success).toBe(true);
      expect((await kit.call({ path: '/api/status' })).json.data.chats).toEqual(JSON.parse(old.value));
    });

    test('refusals are in the language of who asks', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const headers = { 'accept-language': 'en' };
      const body = { key: 'GitHubOAuthEnabled', value: true };
      const answer = await kit.call({ method: 'PUT', path, body, as, headers });
      expect(answer.json.message).toBe('GitHub sign-in needs the GitHub client ID and secret first');
    });
  });

  test('the status is sent once and confirmed afterwards, until a setting changes', async () => {
    const kit = await createApiKit(await open());
    const as = await kit.root();
    const first = await kit.call({ path: '/api/status' });
    const tag = first.headers.get('etag') ?? '';
    expect([tag, first.headers.get('cache-control')]).toEqual([expect.stringMatching(/^"/), 'no-cache']);
    const again = await kit.app.request('/api/status', { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    await save(kit, as, ['SystemName', 'Other']);
    expect((await kit.app.request('/api/status', { headers: { 'if-none-match': tag } })).status).toBe(200);
    expect((await kit.call({ path: '/api/notice' })).headers.get('cache-control')).toBe('no-store');
  });

  test('a test mail needs a mail server and an address', async () => {
    const kit = await createApiKit(await open());
    const as = await kit.root();
    const mail = async (to: string) =>
      (await kit.call({ method: 'POST', path: '/api/option/test_mail', body: { to }, as })).json.message;
    expect(await mail('nobody')).toBe('无效的邮箱地址');
    expect(await mail('ann@example.org')).toBe('SMTP 服务器未配置');
  });
});
