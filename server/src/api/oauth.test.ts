import { Secret, TOTP } from 'otpauth';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type GitHub, startGitHub } from '../../../e2e/support/stand-ins/github.ts';
import { type LinuxDo, startLinuxDo } from '../../../e2e/support/stand-ins/linuxdo.ts';
import { type OidcProvider, startOidc } from '../../../e2e/support/stand-ins/oidc.ts';
import type { KitAnswer, KitUser } from '../../test/api-kit.ts';
import { cookieNamed, createDoorKit, type DoorKit, site } from '../../test/door-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const client = { id: 'client-1', secret: 'secret-of-the-client' };
const octocat = { id: 583231, login: 'octocat', name: 'The Octocat' };
const lin = { id: 77, username: 'lin', name: '', active: true, trust_level: 2 };
const ada = { sub: 'ada-1', email: 'Ada@Example.org', email_verified: true, name: 'Ada L.' };
const stateWrong = 'state is empty or not same';

onEachEngine((_name, open) => {
  let kit: DoorKit;
  let [github, linuxdo, oidc]: [GitHub?, LinuxDo?, OidcProvider?] = [];
  beforeAll(async () => {
    github = await startGitHub(client);
    linuxdo = await startLinuxDo(client);
    oidc = await startOidc(client);
  });
  afterAll(() => Promise.all([github?.close(), linuxdo?.close(), oidc?.close()]));
  afterEach(() => kit.close());

  const there = () => {
    if (github === undefined || linuxdo === undefined || oidc === undefined) throw new Error('the providers are not there');
    return { github, linuxdo, oidc };
  };
  const start = async (): Promise<void> => {
    const { github, linuxdo, oidc } = there();
    for (const fault of Object.keys(oidc.faults)) delete oidc.faults[fault as keyof typeof oidc.faults];
    kit = await createDoorKit(open, { rewrite: [github, linuxdo, oidc].flatMap(({ rewrite }) => rewrite) });
    await kit.set({ GitHubClientId: client.id, GitHubClientSecret: client.secret });
    await kit.set({ LinuxDOClientId: client.id, LinuxDOClientSecret: client.secret });
    await kit.set({ 'oidc.client_id': client.id, 'oidc.client_secret': client.secret });
    await kit.set({ 'oidc.well_known': `${oidc.issuer}/.well-known/openid-configuration` });
    await kit.set({ GitHubOAuthEnabled: true, LinuxDOOAuthEnabled: true, 'oidc.enabled': true });
  };
  /** A browser without a session: its short-lived cookie, and the provider's page it was sent to. */
  const visit = async (provider: string, as?: KitUser, aff = ''): Promise<{ page: string; headers: Record<string, string> }> => {
    const answer = await kit.get(`/api/oauth/authorize?provider=${provider}&aff=${aff}`, as);
    expect(answer.json.success, answer.text).toBe(true);
    const cookie = cookieNamed(answer, 'browser');
    return { page: answer.json.data, headers: cookie === '' ? {} : { Cookie: cookie } };
  };
  const back = (provider: string, { code, state }: { code: string; state: string }, headers = {}, as?: KitUser) =>
    kit.get(`/api/oauth/${provider}?code=${code}&state=${state}`, as, headers);
  const enter = async (provider: 'github' | 'linuxdo' | 'oidc', user: object, aff = ''): Promise<KitAnswer> => {
    const { page, headers } = await visit(provider, undefined, aff);
    const agree = there()[provider].agree as (page: string, user: object) => { code: string; state: string };
    return back(provider, agree(page, user), headers);
  };
  const userOf = (answer: KitAnswer): KitUser => ({
    id: answer.json.data.id,
    name: answer.json.data.username,
    password: '',
    cookie: cookieNamed(answer, 'session'),
  });
  const setPassword = (as: KitUser, body: object) => kit.call({ method: 'PUT', path: '/api/user/self', body, as });
  const totpOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: kit.clock.nowMs() });
  const self = async (as: KitUser) => (await kit.get('/api/user/self', as)).json.data;

  describe('a provider', () => {
    test('brings a newcomer in with a name, grants and the inviter of the page, and knows them again', async () => {
      await start();
      await kit.set({ QuotaForNewUser: 500, QuotaForInvitee: 20, QuotaForInviter: 30 });
      const friend = await kit.user('friend');
      const { aff_code: aff } = await self(friend);
      const first = await enter('github', octocat, aff);
      expect(first.json.data).toEqual({
        id: 3,
        username: 'github_3',
        display_name: 'The Octocat',
        role: 1,
        status: 1,
        group: 'default',
      });
      const octo = userOf(first);
      expect(await self(octo)).toMatchObject({ github_id: '583231', quota: 520, inviter_id: friend.id, email: '' });
      expect((await self(friend)).aff_quota).toBe(30);
      expect((await enter('github', { ...octocat, login: 'renamed' })).json.data.id).toBe(octo.id);
      expect((await enter('linuxdo', lin)).json.data).toMatchObject({ username: 'linuxdo_4', display_name: 'lin' });
      expect((await enter('linuxdo', { ...lin, id: 78, username: '' })).json.data.display_name).toBe('Linux DO User');
      expect((await enter('linuxdo', lin)).json.data.username).toBe('linuxdo_4');
    });

    test('with signed identity gives a verified address, one that is not verified or taken is left out', async () => {
      await start();
      const first = userOf(await enter('oidc', ada));
      expect(await self(first)).toMatchObject({ oidc_id: 'ada-1', email: 'ada@example.org', display_name: 'Ada L.' });
      const kept = await kit.db.read.selectFrom('users').select('username').where('email', '=', 'ada@example.org').execute();
      expect(kept).toHaveLength(1);
      const second = userOf(await enter('oidc', { ...ada, sub: 'ada-2' }));
      expect(await self(second)).toMatchObject({ oidc_id: 'ada-2', email: '' });
      const third = userOf(await enter('oidc', { sub: 'bo', email: 'bo@example.org' }));
      expect(await self(third)).toMatchObject({ email: '', display_name: 'OIDC User' });
    });

    test('is asked with PKCE where it takes it, and for the page of the configured site', async () => {
      await start();
      const page = async (provider: string) => new URL((await visit(provider)).page);
      const [toGitHub, toLinuxDo, toOidc] = [await page('github'), await page('linuxdo'), await page('oidc')];
      expect(toGitHub.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
      expect(`${toGitHub.origin}${toGitHub.pathname}`).toBe('https://github.com/login/oauth/authorize');
      expect(toLinuxDo.searchParams.get('redirect_uri')).toBe(`${site}/oauth/linuxdo`);
      expect(Object.fromEntries(toOidc.searchParams)).toMatchObject({
        response_type: 'code',
        scope: 'openid profile email',
        redirect_uri: `${site}/oauth/oidc`,
        code_challenge_method: 'S256',
      });
      const { page: stolen, headers } = await visit('github');
      const foreign = there().github.agree(stolen.replace(/code_challenge=[^&]*/, 'code_challenge=other'), octocat);
      expect((await back('github', foreign, headers)).json.message).toBe('返回值非法，用户字段为空，请稍后重试！');
    });

    test('can be reached by an address that the page built by itself from a plain state', async () => {
      await start();
      const answer = await kit.get('/api/oauth/state');
      expect(answer.json.data).toMatch(/^[\w-]{43}$/);
      const code = there().github.issue(octocat, client.id);
      const done = await back('github', { code, state: answer.json.data }, { Cookie: cookieNamed(answer, 'browser') });
      expect(done.json.data.username).toBe('github_2');
    });

    test('is refused while it is switched off, and newcomers while registration is', async () => {
      await start();
      await kit.set({ RegisterEnabled: false });
      expect((await enter('github', octocat)).json.message).toBe('管理员关闭了新用户注册');
      await kit.set({ GitHubOAuthEnabled: false, LinuxDOOAuthEnabled: false, 'oidc.enabled': false });
      for (const [provider, label] of [
        ['github', 'GitHub'],
        ['linuxdo', 'Linux DO'],
        ['oidc', 'OIDC'],
      ]) {
        const text = `管理员未开启通过 ${label} 登录以及注册`;
        expect((await kit.get(`/api/oauth/${provider}?code=a&state=b`)).json.message).toBe(text);
        expect((await kit.get(`/api/oauth/authorize?provider=${provider}`)).json.message).toBe(text);
      }
    });

    test('that fails is named, whatever it says', async () => {
      await start();
      const flow = async (provider: 'github' | 'oidc' | 'linuxdo', code = 'unknown') => {
        const { page, headers } = await visit(provider);
        return (await back(provider, { code, state: new URL(page).searchParams.get('state') ?? '' }, headers)).json.message;
      };
      expect(await flow('github')).toBe('返回值非法，用户字段为空，请稍后重试！');
      expect(await flow('linuxdo')).toBe('返回值非法，用户字段为空，请稍后重试！');
      expect(await flow('oidc')).toBe('OIDC 获取 Token 失败，请检查设置！');
      expect(await flow('github', '')).toBe('无效的参数');
      const { page, headers } = await visit('linuxdo');
      const state = new URL(page).searchParams.get('state');
      const refused = await kit.get(
        `/api/oauth/linuxdo?error=access_denied&error_description=%3Cb%3E&state=${state}`,
        undefined,
        headers,
      );
      expect(refused.json.message).toBe('第三方登录未完成: access_denied');
      expect((await enter('linuxdo', { ...lin, active: false })).json.message).toBe('返回值非法，用户字段为空，请稍后重试！');
    });

    test('that cannot be reached is named', async () => {
      kit = await createDoorKit(open, {
        rewrite: ['github.com=http://127.0.0.1:1', 'connect.linux.do=http://127.0.0.1:1', 'id.example.org=http://127.0.0.1:1'],
      });
      await kit.set({
        GitHubClientId: 'x',
        LinuxDOClientId: 'x',
        'oidc.client_id': 'x',
        'oidc.well_known': 'https://id.example.org/.well-known/openid-configuration',
      });
      await kit.set({ GitHubOAuthEnabled: true, LinuxDOOAuthEnabled: true, 'oidc.enabled': true });
      for (const [provider, label] of [
        ['github', 'GitHub'],
        ['linuxdo', 'Linux DO'],
        ['oidc', 'OIDC'],
      ] as const) {
        const answer = await kit.get('/api/oauth/state');
        const done = await back(provider, { code: 'c', state: answer.json.data }, { Cookie: cookieNamed(answer, 'browser') });
        expect(done.json.message).toBe(`无法连接至 ${label} 服务器，请稍后重试！`);
      }
      expect(kit.logged.map((line) => (line as { address?: string }).address)).toEqual([
        'https://github.com/login/oauth/access_token',
        'https://connect.linux.do/oauth2/token',
        'https://id.example.org/.well-known/openid-configuration',
      ]);
    });

    test('with a forged, foreign or mixed-up identity signs nobody in', async () => {
      await start();
      const { faults } = there().oidc;
      for (const fault of ['foreignKey', 'wrongAudience', 'wrongNonce'] as const) {
        faults[fault] = true;
        expect((await enter('oidc', ada)).json.message, fault).toBe('OIDC 获取 Token 失败，请检查设置！');
        faults[fault] = false;
      }
      for (const fault of ['otherSubject', 'userInfoDown'] as const) {
        faults[fault] = true;
        expect((await enter('oidc', ada)).json.message, fault).toBe('OIDC 获取用户信息失败！请检查设置！');
        faults[fault] = false;
      }
      faults.tokenDown = true;
      expect((await enter('oidc', ada)).json.message).toBe('无法连接至 OIDC 服务器，请稍后重试！');
      faults.tokenDown = false;
      expect((await enter('oidc', { sub: 'no-mail' })).json.message).toBe('OIDC 获取用户信息为空！请检查设置！');
      expect((await enter('oidc', ada)).json.success).toBe(true);
    });

    test('without a discovery document is asked at the configured addresses', async () => {
      await start();
      const { issuer } = there().oidc;
      await kit.set({ 'oidc.well_known': '', 'oidc.authorization_endpoint': `${issuer}/authorize` });
      const stored = (await kit.get('/api/option/', await kit.root())).json.data;
      const secret = stored.find(({ key }: { key: string }) => key === 'oidc.client_secret');
      expect(secret, 'a secret does not follow to another place').toEqual({
        key: 'oidc.client_secret',
        value: '',
        is_set: false,
      });
      await kit.set({
        'oidc.token_endpoint': `${issuer}/token`,
        'oidc.user_info_endpoint': `${issuer}/userinfo`,
        'oidc.client_secret': client.secret,
      });
      expect((await enter('oidc', ada)).json.data.username).toBe('oidc_2');
      // The document would name another place for the secret than the one it was entered for.
      const { settings } = kit.deps;
      await kit.set({ 'oidc.well_known': 'https://elsewhere.example/.well-known/openid-configuration' });
      expect(settings.current()['oidc.client_secret'], 'another place').toBe('');
      await kit.set({ 'oidc.well_known': '', 'oidc.client_secret': client.secret });
      await kit.set({ 'oidc.well_known': `${issuer}/.well-known/openid-configuration` });
      expect(settings.current()['oidc.client_secret'], 'the same place').toBe(client.secret);
    });
  });

  describe('an account', () => {
    test('that was imported under a login name is matched once by it and then by its number', async () => {
      await start();
      const ann = await kit.user('ann');
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ github_id: 'octocat' }).where('id', '=', ann.id).execute(),
      );
      expect((await enter('github', octocat)).json.data.id).toBe(ann.id);
      expect((await self(ann)).github_id).toBe('583231');
      expect((await enter('github', { ...octocat, id: 9, login: 'octocat' })).json.data.id).not.toBe(ann.id);
      expect((await enter('github', { id: 10, login: '583231', name: null })).json.data.id).not.toBe(ann.id);
    });

    test('that is banned or deregistered stays out', async () => {
      await start();
      const octo = userOf(await enter('github', octocat));
      const change = (values: object) =>
        kit.db.transaction((tx) => tx.query.updateTable('users').set(values).where('id', '=', octo.id).execute());
      await change({ status: 2 });
      expect((await enter('github', octocat)).json.message).toBe('用户已被封禁');
      await change({ deleted_at: 1 });
      expect((await enter('github', octocat)).json.message).toBe('用户已注销');
    });

    test('is bound by a signed-in caller, renews the session, and is nobody else’s then', async () => {
      await start();
      const [ann, bob] = [await kit.user('ann'), await kit.user('bob')];
      const bind = async (as: KitUser) => {
        const { page, headers } = await visit('github', as);
        expect(headers).toEqual({});
        return back('github', there().github.agree(page, octocat), {}, as);
      };
      const bound = await bind(ann);
      expect(bound.json).toEqual({ success: true, message: 'bind' });
      expect((await kit.get('/api/user/self', ann)).status).toBe(401);
      expect((await self(kit.renewed(ann, bound))).github_id).toBe('583231');
      expect((await bind(bob)).json.message).toBe('该 GitHub 账户已被绑定');
      expect((await enter('github', octocat)).json.data.id).toBe(ann.id);
    });

    test('is no proof of the password, a moment ago and with the second step neither', async () => {
      await start();
      const ann = await kit.user('ann');
      const { secret } = (await kit.post('/api/user/totp/setup', {}, ann)).json.data;
      const { page } = await visit('github', ann);
      const renewed = kit.renewed(ann, await back('github', there().github.agree(page, octocat), {}, ann));
      const password = 'another-horse-77';
      const octo = userOf(await enter('github', octocat));
      expect((await setPassword(octo, { password })).json.message).toBe('原密码错误');
      expect((await kit.post('/api/user/passkey/options', {}, octo)).json.message).toBe('原密码错误');
      const sessions: { current: boolean; proven_time: number }[] = (await kit.get('/api/user/sessions', octo)).json.data;
      expect(sessions.map(({ current, proven_time }) => current === (proven_time === 0))).toEqual([true, true]);

      // The session that the password opened keeps its proof under its new id.
      expect((await kit.post('/api/user/totp/confirm', { code: totpOf(secret) }, renewed)).json.success).toBe(true);
      kit.clock.advanceMs(30_000);
      const { ticket } = (await enter('github', octocat)).json.data;
      const both = userOf(await kit.post('/api/user/totp/login', { ticket, code: totpOf(secret) }));
      expect((await setPassword(both, { password })).json.message).toBe('原密码错误');
      expect((await setPassword(renewed, { password })).json.success).toBe(true);
    });
  });

  describe('a state', () => {
    test('is worth nothing in another browser, in a session, to another session, twice, for another provider or late', async () => {
      await start();
      const [ann, bob] = [await kit.user('ann'), await kit.user('bob')];
      const { page, headers } = await visit('github');
      const granted = there().github.agree(page, octocat);
      const attempts = [
        await back('github', granted),
        await back('github', granted, { Cookie: `browser=${'x'.repeat(43)}` }),
        await back('github', granted, {}, ann),
        await back('linuxdo', { ...granted }, { Cookie: 'browser=' }),
        await back('github', { ...granted, state: '' }, headers),
        await kit.get('/api/oauth/github'),
      ];
      for (const { status, json } of attempts) expect([status, json.message]).toEqual([403, stateWrong]);
      expect((await back('github', granted, headers)).json.success).toBe(true);
      expect((await back('github', granted, headers)).status).toBe(403);

      const mine = await visit('github', ann);
      const forMe = there().github.agree(mine.page, octocat);
      expect((await back('github', forMe, {}, bob)).status).toBe(403);
      expect((await back('github', forMe, headers)).status).toBe(403);

      const other = await visit('github');
      expect((await back('linuxdo', there().github.agree(other.page, octocat), other.headers)).status).toBe(403);

      const late = await visit('github');
      kit.clock.advanceMs(600_000);
      expect((await back('github', there().github.agree(late.page, octocat), late.headers)).status).toBe(403);
    });

    test('redeemed fifty times at once signs in once', async () => {
      await start();
      const { page, headers } = await visit('github');
      const granted = there().github.agree(page, octocat);
      const answers = await Promise.all(Array.from({ length: 50 }, () => back('github', granted, headers)));
      expect(answers.filter(({ json }) => json.success)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 403)).toHaveLength(49);
    });

    test('of each of many tabs leads one newcomer to one account', async () => {
      await start();
      const tabs = await Promise.all(Array.from({ length: 8 }, () => visit('github')));
      const answers = await Promise.all(
        tabs.map(({ page, headers }) => back('github', there().github.agree(page, octocat), headers)),
      );
      expect(new Set(answers.map(({ json }) => json.data?.id)).size).toBe(1);
    });
  });
});
