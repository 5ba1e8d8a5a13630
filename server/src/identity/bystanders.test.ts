import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type KitAnswer, type KitUser, kitPassword } from '../../test/api-kit.ts';
import { type Authenticator, createAuthenticator, totp } from '../../test/authenticator.ts';
import { createDoorKit, type DoorKit, site } from '../../test/door-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const tables = ['session', 'user_device', 'totp', 'recovery_code', 'passkey', 'token', 'one_time', 'wallet', 'agent'];

/** All rows that are one user's. */
async function rowsOf({ db }: DoorKit, { id }: KitUser): Promise<readonly string[]> {
  const found = [
    sql`select * from users where id = ${id}`,
    ...tables.map((name) => sql`select * from ${sql.table(name)} where user_id = ${id}`),
  ];
  const answers = await Promise.all(found.map((query) => query.execute(db.read)));
  return answers.flatMap(({ rows }, at) => rows.map((row) => `${at} ${JSON.stringify(row)}`)).sort();
}

async function addPasskey(kit: DoorKit, as: KitUser, key: Authenticator): Promise<KitAnswer> {
  const options = (await kit.post('/api/user/passkey/options', {}, as)).json.data;
  return kit.post('/api/user/passkey', { name: 'key', response: key.create(options) }, as);
}

/** Somebody with two or more of everything that opens a door, and with a sign-in and a reset under way. */
async function person(kit: DoorKit, name: string) {
  const user = await kit.user(name);
  const email = `${name}@example.org`;
  await kit.db.transaction((tx) => tx.query.updateTable('users').set({ email }).where('id', '=', user.id).execute());
  const keys = [createAuthenticator(site), createAuthenticator(site)] as const;
  for (let more = 0; more < 5; more += 1) await kit.post('/api/user/login', { username: name, password: kitPassword });
  const passkeys: number[] = [];
  for (const key of keys) passkeys.push((await addPasskey(kit, user, key)).json.data.id);
  for (const token of ['kept', 'used']) await kit.post('/api/token', { name: token, expired_time: -1, remain_quota: 7 }, user);
  const tokens: { id: number; name: string }[] = (await kit.get('/api/token?p=0', user)).json.data;
  const tokenOf = (wanted: string) => tokens.find((token) => token.name === wanted)?.id ?? 0;
  await kit.post(`/api/token/${tokenOf('kept')}/rotate?old_key_seconds=3600`, {}, user);
  await kit.get('/api/user/token', user);
  await kit.call({ method: 'PUT', path: `/api/agent/${user.id}`, body: { status: 1 }, as: await kit.root() });
  const { secret } = (await kit.post('/api/user/totp/setup', {}, user)).json.data;
  const recovery: string[] = (await kit.post('/api/user/totp/confirm', { code: totp(secret, kit.clock.nowMs()) }, user)).json
    .data;
  await kit.get(`/api/reset_password?email=${email}`);
  await kit.post('/api/user/login', { username: name, password: kitPassword });
  return { user, email, keys, passkeys, token: tokenOf('used'), kept: tokenOf('kept'), secret, recovery };
}

onEachEngine((_name, open) => {
  test('whatever happens to the account of one, not a row of another moves that is in the same state', async () => {
    const kit = await createDoorKit(open);
    onTestFinished(kit.close);
    await kit.set({ AgentEnabled: true });
    const { user: other } = await person(kit, 'zoe');
    const third = await kit.user('eve');
    await kit.post('/api/user/totp/setup', {}, third);
    const theirs = async () => [await rowsOf(kit, other), await rowsOf(kit, third)];
    const before = await theirs();
    const own = await person(kit, 'amy');
    expect(await theirs()).toEqual(before);
    const boss = await kit.root();
    let [amy, { secret }, password] = [own.user, own, kitPassword];
    const next = () => {
      kit.clock.advanceMs(30_000);
      return totp(secret, kit.clock.nowMs());
    };
    const enter = async (code: string) => {
      const { ticket } = (await kit.post('/api/user/login', { username: 'amy', password })).json.data;
      const answer = await kit.post('/api/user/totp/login', { ticket, code });
      amy = kit.renewed(amy, answer);
      return answer;
    };
    const call = (method: string, path: string, body?: unknown) => kit.call({ method, path, body, as: amy });
    const manage = (action: string) => kit.post('/api/user/manage', { id: amy.id, action }, boss);
    const [firstKey, secondKey] = own.passkeys;
    /** What the owner did not name. */
    const beside = async () => {
      const keys = await kit.db.read
        .selectFrom('passkey')
        .selectAll()
        .where('id', '=', secondKey ?? 0)
        .execute();
      return [keys, await kit.db.read.selectFrom('token').selectAll().where('id', '=', own.kept).execute()];
    };

    const steps: Readonly<Record<string, () => Promise<KitAnswer>>> = {
      'a code signs in': () => enter(next()),
      'the password changes': async () => {
        const body = { password: 'another-horse-5', original_password: password };
        const answer = await call('PUT', '/api/user/self', body);
        [amy, password] = [kit.renewed(amy, answer), body.password];
        return answer;
      },
      'a recovery code does': () => enter(own.recovery[0] ?? ''),
      'a passkey does': async () => {
        const options = (await kit.post('/api/user/passkey/login/options', {})).json.data;
        const answer = await kit.post('/api/user/passkey/login', { response: own.keys[0].get(options) });
        amy = kit.renewed(amy, answer);
        return answer;
      },
      'a passkey is named': () => call('PUT', `/api/user/passkey/${firstKey}`, { name: 'phone' }),
      'a passkey goes': () => call('DELETE', `/api/user/passkey/${firstKey}`),
      'a token is changed': () => call('PUT', '/api/token', { id: own.token, name: 'new', remain_quota: 5 }),
      'a token is switched off': () => call('PUT', '/api/token?status_only=true', { id: own.token, status: 2 }),
      'a token is switched on': () => call('PUT', '/api/token?status_only=true', { id: own.token, status: 1 }),
      'a token gets another key': () => call('POST', `/api/token/${own.token}/rotate?old_key_seconds=3600`, {}),
      'the key before ends': () => call('DELETE', `/api/token/${own.token}/old-key`),
      'a token goes': () => call('DELETE', `/api/token/${own.token}`),
      'a session ends': async () => {
        const sessions: { id: number; current: boolean }[] = (await call('GET', '/api/user/sessions')).json.data;
        return call('DELETE', `/api/user/sessions/${sessions.find(({ current }) => !current)?.id}`);
      },
      'the other sessions end': () => call('DELETE', '/api/user/sessions'),
      'the access token is made anew': () => call('GET', '/api/user/token'),
      'the profile changes': () => call('PUT', '/api/user/self', { display_name: 'Amy A' }),
      'the second factor goes': () => call('POST', '/api/user/totp/disable', { code: next() }),
      'another one is begun': async () => {
        const answer = await call('POST', '/api/user/totp/setup', { original_password: password });
        ({ secret } = answer.json.data);
        return answer;
      },
      'and proven': () => call('POST', '/api/user/totp/confirm', { code: next() }),
      'the password is reset': async () => {
        const link = new URL(/<a href="([^"]*)"/.exec((await kit.smtp.mail(2)).html)?.[1]?.replaceAll('&amp;', '&') ?? '');
        const body = { email: own.email, token: link.searchParams.get('token') };
        const answer = await kit.post('/api/user/reset', body);
        password = answer.json.data;
        return answer;
      },
      'an administrator edits': () =>
        kit.call({ method: 'PUT', path: '/api/user', body: { id: amy.id, group: 'vip' }, as: boss }),
      'an administrator bans': () => manage('disable'),
      'an administrator lets in again': () => manage('enable'),
      'root promotes': () => manage('promote'),
      'root demotes': () => manage('demote'),
      'an administrator takes the second factor away': () => manage('reset_second_factor'),
      'an administrator deregisters': () => manage('delete'),
      'an administrator deletes': () => kit.call({ method: 'DELETE', path: `/api/user/${amy.id}`, as: boss }),
    };
    const kept = await beside();
    const ids = async (path: string) => (await call('GET', path)).json.data.map(({ id }: { id: number }) => id);
    expect(await ids('/api/token?p=0')).toEqual([own.token, own.kept]);
    expect(await ids('/api/token/search?keyword=')).toEqual([own.token, own.kept]);
    expect((await ids('/api/user/passkey')).sort()).toEqual([...own.passkeys].sort());
    expect(await ids('/api/user/sessions')).toHaveLength(6);
    const known = (await call('POST', '/api/user/passkey/options', {})).json.data.excludeCredentials;
    expect(known).toHaveLength(2);
    const factor = async () => (await call('GET', '/api/user/totp')).json.data;
    expect(await factor()).toEqual({ enabled: true, recovery_codes_left: 10 });
    for (const [what, step] of Object.entries(steps)) {
      const mine = await rowsOf(kit, amy);
      const { json, text } = await step();
      expect(json, what).toMatchObject({ success: true });
      expect(new Set(text.match(/"user_id":\d+/g) ?? []), what).toEqual(
        new Set(/"user_id":/.test(text) ? [`"user_id":${amy.id}`] : []),
      );
      expect(await rowsOf(kit, amy), what).not.toEqual(mine);
      expect(await theirs(), what).toEqual(before);
      if (what === 'a token goes') expect(await beside()).toEqual(kept);
      if (what === 'the second factor goes') expect(await factor()).toEqual({ enabled: false, recovery_codes_left: 0 });
    }
  });
});
