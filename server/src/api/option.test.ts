import { describe, expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const path = '/api/option/';

onEachEngine((_name, open) => {
  describe('options', () => {
    test('secrets are sealed at rest and listed as set, never as text', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      await kit.call({ method: 'PUT', path, body: { key: 'EpayKey', value: 'pay-secret-1' }, as });
      expect(kit.deps.settings.current().EpayKey).toBe('pay-secret-1');
      const list = await kit.call({ path, as });
      expect(list.text).not.toContain('pay-secret-1');
      const row = (key: string) => list.json.data.find((option: { key: string }) => option.key === key);
      expect(row('EpayKey')).toEqual({ key: 'EpayKey', value: '', is_set: true });
      expect(row('SMTPToken')).toEqual({ key: 'SMTPToken', value: '', is_set: false });
      expect(row('RetryTimes')).toEqual({ key: 'RetryTimes', value: '2', default: '2', min: 0, max: 100, whole: true });
      expect(row('GroupRatio').value).toBe('{"default":1,"vip":1,"svip":1}');
      const stored = await kit.db.read.selectFrom('option').selectAll().execute();
      expect(JSON.stringify(stored)).not.toContain('pay-secret-1');
    });

    test('several keys are one transaction: a bad one keeps all of them out', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const save = async (body: unknown) => (await kit.call({ method: 'PUT', path, body, as })).json.message;
      const good = { key: 'ModelRatio', value: '{"gpt-4o":1.25}' };
      expect(await save([good, { key: 'NoSuchOption', value: '1' }])).toBe('无效的参数');
      expect(await save([good, { key: 'Price', value: '-1' }])).toBe('参数错误');
      expect(kit.deps.settings.current().ModelRatio.size).toBe(0);
      expect(await save([good, { key: 'Price', value: 6.5 }, { key: 'DrawingEnabled', value: false }])).toBe('');
      const { ModelRatio, Price, DrawingEnabled } = kit.deps.settings.current();
      expect([ModelRatio.get('gpt-4o'), Price, DrawingEnabled]).toEqual([1.25, 6.5, false]);
      const changes = await kit.db.read.selectFrom('change').select('key').where('kind', '=', 'option').orderBy('seq').execute();
      expect(changes.map((change) => change.key)).toEqual(['ModelRatio', 'Price', 'DrawingEnabled']);
    });

    test('a save that says what its editor saw changes nothing once somebody else was there', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const save = async (...body: object[]) => (await kit.call({ method: 'PUT', path, body, as })).json.message;
      const shown = async (key: string): Promise<string> =>
        (await kit.call({ path, as })).json.data.find((option: { key: string }) => option.key === key).value;
      await save({ key: 'ModelRatio', value: '{"a":2,"7":0.00000001}' });
      const seen = await shown('ModelRatio');
      const price = { key: 'ModelPrice', value: '{"p":1}', seen: await shown('ModelPrice') };
      expect(await save({ key: 'ModelRatio', value: '{"a":3}', seen: JSON.stringify(JSON.parse(seen), null, 2) })).toBe('');
      expect(await save(price, { key: 'ModelRatio', value: '{"a":4}', seen })).toBe(
        'ModelRatio 在您编辑期间已被修改，本次没有保存任何内容，请核对后再次保存',
      );
      expect(await save({ key: 'ModelRatio', value: '{"a":4}', seen: 'nonsense' })).toContain('ModelRatio');
      expect([await shown('ModelRatio'), await shown('ModelPrice')]).toEqual(['{"a":3}', '{}']);
      expect(await save(price, { key: 'ModelRatio', value: '{"a":4}' })).toBe('');
      await save({ key: 'EpayKey', value: 'pay-secret-1' });
      expect(await save({ key: 'EpayKey', value: 'x', seen: 'pay-secret-1' })).toContain('EpayKey');
      expect(kit.deps.settings.current().EpayKey).toBe('pay-secret-1');
    });

    test('values that would break something are refused with their texts', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const refused: [string, unknown, string | RegExp][] = [
        ['GroupRatio', '{"vip":-1}', 'group ratio must be not less than 0: vip'],
        ['GroupRatio', '{"vip":"1"}', '参数错误'],
        ['ModelRatio', '{"a":1,"a":2}', 'duplicate key'],
        ['ModelPrice', '{"a":1e999}', '参数错误'],
        ['ModelRatio', '{"a":1e-10}', /^a 的数值过小/],
        ['PriceTiers', '{"a":[{"ratio":1e-10}]}', /^PriceTiers: a 的数值过小/],
        ['ModelRatio', '[1]', '应为 JSON 对象'],
        ['ModelRatio', '{', /JSON/],
        ['Chats', '{"a":"b"}', '应为 JSON 列表'],
        ['PayMethods', '[{"name":"x"}]', '支付方式配置错误, 请联系管理员'],
        ['MinTopUp', '0', '参数错误'],
        ['DataExportInterval', '0', '参数错误'],
        ['RetryTimes', '1.5', '参数错误'],
        ['SensitiveWords', Array.from({ length: 5001 }, (_, index) => `w${index}`).join('\n'), /^最多 5000 个词/],
        ['SensitiveWords', `fine\n${'词'.repeat(86)}`, /每个最多 255 字节/],
        ['RegisterEnabled', 'yes', '参数错误'],
        ['DataExportDefaultTime', 'month', '参数错误'],
        ['ServerAddress', 'javascript:alert(1)', '参数错误'],
        ['GitHubOAuthEnabled', 'true', '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！'],
        ['TelegramOAuthEnabled', true, '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！'],
      ];
      for (const [key, value, text] of refused) {
        const answer = await kit.call({ method: 'PUT', path, body: { key, value }, as });
        expect([key, answer.json.success]).toEqual([key, false]);
        expect(answer.json.message).toMatch(text);
      }
      expect(await kit.db.read.selectFrom('option').selectAll().execute()).toEqual([]);
      const words = Array.from({ length: 6000 }, (_, index) => `W${index % 5000}`).join('\n');
      const most = await kit.call({ method: 'PUT', path, body: { key: 'SensitiveWords', value: words }, as });
      expect(most.json.success).toBe(true);
    });

    test.each(['big spenders', 'a,b', ''])('no new group gets a name that no list of groups can hold: "%s"', async (name) => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const save = async (ratios: object) =>
        (await kit.call({ method: 'PUT', path, body: { key: 'GroupRatio', value: JSON.stringify(ratios) }, as })).json.message;
      expect(await save({ default: 1, [name]: 1 })).toBe(`分组名「${name}」无法使用：须为 1-64 个字符，不能含空格或逗号`);
      // One that came by another way stays, and may be changed.
      await kit.deps.settings.save([{ key: 'GroupRatio', value: JSON.stringify({ default: 1, [name]: 1 }) }]);
      expect(await save({ default: 1, [name]: 2, 贵宾: 0.8 })).toBe('');
      expect([...kit.deps.settings.current().GroupRatio]).toEqual([
        ['default', 1],
        [name, 2],
        ['贵宾', 0.8],
      ]);
    });

    test('nor does any other option name one, beyond those that some option names already', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const save = async (key: string, value: unknown) =>
        (await kit.call({ method: 'PUT', path, body: { key, value: JSON.stringify(value) }, as })).json.message;
      const naming = (name: string): [string, unknown][] => [
        ['UserUsableGroups', { [name]: 'Label' }],
        ['TopupGroupRatio', { [name]: 1 }],
        ['GroupGroupRatio', { [name]: { default: 1 } }],
        ['GroupGroupRatio', { default: { [name]: 1 } }],
        ['GroupLimits', { [name]: { rpm: 1 } }],
        ['AutoGroups', [name]],
      ];
      for (const [key, value] of naming('big spenders'))
        expect(await save(key, value)).toMatch(/^分组名「big spenders」无法使用/);
      await kit.deps.settings.save([{ key: 'GroupRatio', value: '{"default":1,"big spenders":1}' }]);
      for (const name of ['big spenders', '贵宾', 'auto'])
        for (const [key, value] of naming(name)) expect(await save(key, value)).toBe('');
    });

    test('blanks around a text that was pasted are not part of it, and blanks alone are none', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const save = async (key: string, value: unknown) =>
        (await kit.call({ method: 'PUT', path, body: { key, value }, as })).json.message;
      // A merchant's number with one would match no notification of a payment.
      expect(await save('EpayId', ' 1001\u3000')).toBe('');
      expect(kit.deps.settings.current().EpayId).toBe('1001');
      expect(await save('GitHubClientId', '  ')).toBe('');
      expect(await save('GitHubOAuthEnabled', 'true')).toContain('无法启用 GitHub OAuth');
    });

    test('a secret does not follow its address to another origin', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const save = (body: unknown) => kit.call({ method: 'PUT', path, body, as });
      const current = () => kit.deps.settings.current();
      await save([{ key: 'EpayKey', value: 'pay-secret-1' }]);
      await save([{ key: 'PayAddress', value: 'https://pay.example/' }]);
      expect([current().PayAddress, current().EpayKey]).toEqual(['https://pay.example', 'pay-secret-1']);
      await save([{ key: 'PayAddress', value: 'https://pay.example/path' }]);
      expect(current().EpayKey).toBe('pay-secret-1');
      await save([{ key: 'PayAddress', value: 'https://evil.example' }]);
      expect(current().EpayKey).toBe('');
      await save([
        { key: 'EpayKey', value: 'pay-secret-2' },
        { key: 'PayAddress', value: 'https://other.example' },
      ]);
      expect(current().EpayKey).toBe('pay-secret-2');
    });

    test('the status tells everybody the site and nobody a secret', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.root();
      const body = [
        { key: 'EpayKey', value: 'pay-secret-1' },
        { key: 'EpayId', value: '7' },
        { key: 'PayAddress', value: 'https://pay.example' },
        { key: 'TurnstileSecretKey', value: 'turn-secret-1' },
        { key: 'SystemName', value: 'My Gate' },
      ];
      await kit.call({ method: 'PUT', path, body, as });
      const { text, json } = await kit.call({ path: '/api/status' });
      expect(text).not.toMatch(/secret/i);
      expect(json.data).toMatchObject({
        system_name: 'My Gate',
        version: 'test',
        enable_online_topup: true,
        quota_per_unit: 500_000,
        quota_remind_threshold: 1000,
        price: 7.3,
        min_topup: 1,
      });
      expect(json.data.chats).toHaveLength(5);
      expect((await kit.call({ path: '/api/group/', as })).json.data).toEqual(['default', 'vip', 'svip']);
    });
  });
});
