import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { runCommand } from '../../test/cli-kit.ts';
import { onEachEngine, onSqlite, type Place } from '../../test/engines.ts';
import { draftOf, giveWallet, holdOf } from '../../test/ledger-kit.ts';
import { plainPrice } from '../../test/plain-price.ts';
import { planned } from '../../test/planned.ts';
import { newDirectory } from '../../test/template.ts';
import { createLedger } from '../billing/index.ts';
import { writeReceipt } from '../billing/receipts.ts';
import { sealBinding } from '../identity/token-view.ts';
import { systemClock } from '../platform/clock.ts';
import { createCrypto, keyId } from '../platform/crypto.ts';
import type { Database } from '../storage/database.ts';
import { openCrypto } from '../storage/master.ts';
import { announceNode, databaseNowMs } from '../storage/presence.ts';
import { resealAll } from '../storage/reseal.ts';
import { insertRows } from '../storage/statements.ts';
import { sealed } from './keys.ts';

const usage = { prompt: 10, completion: 20, cached: 0, cacheWrite: 0, reasoning: 0, source: 'upstream', anomaly: false } as const;
/** The key of the kit. */
const oldKey = '07'.repeat(32);

/** One secret of each kind, entered the usual way. */
async function furnish(db: Database) {
  const kit = await createApiKit(db);
  const root = await kit.root();
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await kit.call({ method, path, body, as: root });
    expect(answer.json).toMatchObject({ success: true });
    return answer.json.data;
  };
  await send('POST', '/api/token', { name: 'work', remain_quota: 5, expired_time: -1, group: '' });
  const channel = { name: 'up', type: 1, key: 'sk-upstream-credential', models: 'gpt-4o', groups: ['default'], group: 'default' };
  await send('POST', '/api/channel', channel);
  await send('PUT', '/api/option', { key: 'SMTPToken', value: 'mail-secret' });
  await send('POST', '/api/redemption', { name: 'gift', quota: 10, count: 1 });
  await send('PUT', '/api/user/setting', {
    ...{
      notify_type: 'webhook',
      quota_warning_threshold: 5,
      webhook_url: 'https://hook.example.com/',
      webhook_secret: 'hook-secret',
    },
    ...{ notification_email: '', accept_unset_model_ratio_model: false },
  });
  const [token] = await send('GET', '/api/token?p=0&size=10').then((data) => data.items ?? data);
  const crypto = createCrypto(Buffer.from(oldKey, 'hex'));
  const codes = await db.read.selectFrom('redemption').selectAll().execute();
  const code = crypto.open(codes[0]?.key_sealed ?? '', `redemption/key/${codes[0]?.key_hmac}`);
  await db.transaction(({ query }) => {
    const sealed = crypto.seal('JBSWY3DPEHPK3PXP', `totp/secret_sealed/${root.id}`);
    return query
      .insertInto('totp')
      .values({ user_id: root.id, secret_sealed: sealed, confirmed: 1, last_step: 0, created_at: 1 })
      .execute();
  });
  return { apiKey: token.key as string, code, kit, root };
}

/** Every sealed text of the database. */
async function sealedTexts({ read }: Database): Promise<string[]> {
  const places = {
    token: 'key_sealed',
    channel: 'key_sealed',
    redemption: 'key_sealed',
    totp: 'secret_sealed',
    option: 'value',
    users: 'setting',
  };
  const found: string[] = [];
  for (const [table, column] of Object.entries(places)) {
    const { rows } = await sql<{ text: string }>`SELECT ${sql.ref(column)} AS text FROM ${sql.table(table)}`.execute(read);
    for (const { text } of rows) found.push(...(text.match(/v1\.[0-9a-f]{8}\./g) ?? []));
  }
  return found;
}

onEachEngine((engine, open, { place }) => {
  const furnished = async () => {
    const where = await place();
    const db = await open({ place: where });
    const secrets = await furnish(db);
    const dataDir = where.dataDir || newDirectory(undefined);
    const keyFile = join(dataDir, engine === 'sqlite' ? 'secret.key' : 'old.key');
    writeFileSync(keyFile, `${oldKey}\n`, { mode: 0o600 });
    const env = { DATABASE_URL: where.url, DATA_DIR: dataDir, ...(engine === 'sqlite' ? {} : { SECRET_KEY_FILE: keyFile }) };
    const to = engine === 'sqlite' ? [] : ['--to', join(dataDir, 'new.key')];
    return { where, db, ...secrets, env, dataDir, rotate: () => runCommand(env, 'keys', 'rotate', ...to, '--json') };
  };
  const newKeyOf = (dataDir: string) =>
    Buffer.from(readFileSync(join(dataDir, engine === 'sqlite' ? 'secret.key' : 'new.key'), 'utf8').trim(), 'hex');

  const expectRotated = async (where: Place, dataDir: string, secrets: { apiKey: string; code: string }) => {
    const db = await open({ place: where });
    const crypto = await openCrypto(db, newKeyOf(dataDir));
    const kids = new Set(await sealedTexts(db));
    expect(kids.size).toBe(1);
    // The look-up of API keys and codes is as it was, and what is sealed opens.
    const token = await db.read.selectFrom('token').selectAll().executeTakeFirstOrThrow();
    expect(token.key_hmac).toBe(crypto.hmac('token-key', secrets.apiKey));
    expect(crypto.open(token.key_sealed, `token/key/${token.user_id}/${token.key_hmac}`)).toBe(secrets.apiKey);
    const code = await db.read.selectFrom('redemption').selectAll().executeTakeFirstOrThrow();
    expect(crypto.open(code.key_sealed, `redemption/key/${crypto.hmac('redemption', secrets.code)}`)).toBe(secrets.code);
    const mail = await db.read.selectFrom('option').select('value').where('key', '=', 'SMTPToken').executeTakeFirstOrThrow();
    expect(crypto.open(mail.value, 'option/value/SMTPToken')).toBe('mail-secret');
    const root = await db.read.selectFrom('users').selectAll().where('username', '=', 'root').executeTakeFirstOrThrow();
    const setting = JSON.parse(root.setting) as { webhook_secret: string; webhook_url: string };
    expect(crypto.open(setting.webhook_secret, `users/setting/webhook_secret/${root.id}`)).toBe('hook-secret');
    expect(setting.webhook_url).toBe('https://hook.example.com/');
    await expect(openCrypto(db, Buffer.from(oldKey, 'hex'))).rejects.toThrow('not the master key');
    await db.close();
  };

  test('every secret opens under the new key alone, and no signature changes; twice is as good as once', async () => {
    const { where, db, env, dataDir, rotate, ...secrets } = await furnished();
    await db.close();
    const first = await rotate();
    expect(first).toMatchObject({ exitCode: 0 });
    expect(first.json()).toMatchObject({ ok: true, moved: 6, unreadable: {} });
    await expectRotated(where, dataDir, secrets);
    if (engine === 'sqlite') {
      const kept = first.json().old_key;
      expect([
        readFileSync(kept, 'utf8').trim(),
        statSync(kept).mode & 0o777,
        statSync(join(dataDir, 'secret.key')).mode & 0o777,
      ]).toEqual([oldKey, 0o600, 0o600]);
      expect(readdirSync(dataDir).filter((name) => name.includes('next'))).toEqual([]);
      // The next one starts from a root that is not the key.
      expect((await rotate()).json()).toMatchObject({ moved: 6 });
      await expectRotated(where, dataDir, secrets);
    } else {
      expect((await rotate()).json()).toMatchObject({ ok: true });
      await expectRotated(where, dataDir, secrets);
    }
    expect(
      await runCommand(
        { ...env, ...(engine === 'sqlite' ? {} : { SECRET_KEY_FILE: join(dataDir, 'new.key') }) },
        'audit',
        'verify',
      ),
    ).toMatchObject({ exitCode: 0 });
  });

  test('a running server or a wrong key changes nothing', async () => {
    const { where, db, env, dataDir, rotate } = await furnished();
    const before = await sealedTexts(db);
    const other = { name: 'other', isWorker: true, version: '1', aheadMs: 0, behindMs: 0, charges: 0 };
    await announceNode(db, other, Math.floor((await databaseNowMs(db)) / 1000));
    const busy = await rotate();
    expect(busy).toMatchObject({ exitCode: 1 });
    expect(busy.json().error).toMatch(/stop (it|them) first/);
    await db.transaction(({ query }) => query.deleteFrom('job_lease').execute());
    await db.close();
    const wrong = await runCommand(
      { ...env, SECRET_KEY_FILE: undefined, SECRET_KEY: 'cd'.repeat(32) },
      'keys',
      'rotate',
      '--to',
      join(dataDir, 'x'),
      '--json',
    );
    expect(wrong.json().error).toContain('not the master key');
    expect(await sealedTexts(await open({ place: where }))).toEqual(before);
  });

  test('a lost key is replaced when somebody says that it is lost, and not while it is there', async () => {
    const { where, db, env, dataDir } = await furnished();
    const before = await sealedTexts(db);
    await db.close();
    const give = (more: Record<string, string | undefined>) =>
      runCommand({ ...env, ...more }, 'keys', 'rotate', '--lost', '--json');
    expect((await give({})).json().error).toContain('nothing is lost');
    expect(await runCommand(env, 'keys', 'rotate', '--lost', '--to', 'x')).toMatchObject({ exitCode: 2 });
    const fresh = 'cd'.repeat(32);
    if (engine === 'sqlite') renameSync(join(dataDir, 'secret.key'), join(dataDir, 'moved.key'));
    const lost = engine === 'sqlite' ? {} : { SECRET_KEY_FILE: undefined, SECRET_KEY: fresh };
    expect(
      await runCommand({ ...env, ...lost }, 'keys', 'rotate', ...(engine === 'sqlite' ? [] : ['--to', join(dataDir, 'x')])),
    ).toMatchObject(engine === 'sqlite' ? { exitCode: 2, err: expect.stringContaining('secret.key') } : { exitCode: 1 });
    const kept = join(dataDir, 'secret.key.before');
    writeFileSync(kept, oldKey);
    expect((await give(lost)).json().error).toContain(`${kept} is the master key`);
    rmSync(kept);
    const done = await give(lost);
    expect(done).toMatchObject({ exitCode: 0 });
    const key = engine === 'sqlite' ? readFileSync(join(dataDir, 'secret.key'), 'utf8').trim() : fresh;
    expect(done.json()).toMatchObject({ ok: true, key: keyId(Buffer.from(key, 'hex')) });
    const again = await open({ place: where });
    await expect(openCrypto(again, Buffer.from(key, 'hex'))).resolves.toBeDefined();
    await expect(openCrypto(again, Buffer.from(oldKey, 'hex'))).rejects.toThrow('not the master key');
    // What the lost key sealed is as it was, should the key be found.
    expect((await sealedTexts(again)).filter((text) => text.includes(keyId(Buffer.from(oldKey, 'hex'))))).toEqual(before);
  });

  test('what a lost key signed is no difference of the books from then on: they are proven and backed up, and what is signed now is looked at', async () => {
    const { where, db, env, dataDir } = await furnished();
    const user = 77;
    await giveWallet(db, user, 1_000);
    const charge = async (on: Database, id: string, key: string) => {
      const sign = (text: string) => createCrypto(Buffer.from(key, 'hex')).hmac('receipt', text);
      const draft = draftOf(id, user, 0, { receipt: writeReceipt(id, plainPrice, usage, 30, sign) });
      const ledger = createLedger({ db: on, clock: systemClock });
      await ledger.hold(holdOf(id, user, 0, 100, { draft }));
      await ledger.settle({ id, cost: 30, now: 1_000, draft });
    };
    await charge(db, 'before', oldKey);
    await db.close();
    rmSync(join(dataDir, engine === 'sqlite' ? 'secret.key' : 'old.key'));
    const fresh = 'cd'.repeat(32);
    const now = { ...env, SECRET_KEY_FILE: undefined, SECRET_KEY: fresh };
    expect(await runCommand(now, 'keys', 'rotate', '--lost')).toMatchObject({ exitCode: 0 });
    expect((await runCommand(now, 'doctor', 'ledger')).out).toContain('0 charges since the last hourly proof');
    if (engine === 'sqlite')
      expect(await runCommand(now, 'backup', '--to', join(newDirectory(undefined), 'copy'))).toMatchObject({ exitCode: 0 });
    expect(await runCommand(now, 'after-restore')).toMatchObject({ exitCode: 0 });
    expect((await runCommand(now, 'receipts', 'verify')).out).toContain('request before: forged');
    const again = await open({ place: where });
    await charge(again, 'after', fresh);
    expect(await runCommand(now, 'doctor', 'ledger')).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('1 charges since the last hourly proof'),
    });
    await charge(again, 'false', oldKey);
    expect(await runCommand(now, 'doctor', 'ledger')).toMatchObject({ exitCode: 1, out: expect.stringContaining(': forged') });
  });
});

onSqlite((_engine, open, { place }) => {
  test('what was cut off before or after the commit is finished by the same command', async () => {
    const where = await place();
    const db = await open({ place: where });
    await furnish(db);
    await db.close();
    const [present, next] = ['secret.key', 'secret.key.next'].map((name) => join(where.dataDir, name)) as [string, string];
    const planned = 'ef'.repeat(32);
    const rotate = () => runCommand({ DATA_DIR: where.dataDir }, 'keys', 'rotate', '--json');
    writeFileSync(present, `${oldKey}\n`, { mode: 0o600 });
    // Cut off before the commit: the new key is there, and nothing is sealed by it.
    writeFileSync(next, `${planned}\n`, { mode: 0o600 });
    expect((await rotate()).json()).toMatchObject({ ok: true, moved: 6 });
    expect(readFileSync(present, 'utf8').trim()).toBe(planned);
    // Cut off after it: everything is sealed by the new key, and the old one still has its place.
    writeFileSync(present, `${oldKey}\n`);
    writeFileSync(next, `${planned}\n`, { mode: 0o600 });
    // There was no room for what the old key is kept in.
    const kept = `${present}.${keyId(Buffer.from(oldKey, 'hex'))}`;
    writeFileSync(kept, '');
    const finished = await rotate();
    expect(finished).toMatchObject({ exitCode: 0 });
    expect(finished.json()).not.toHaveProperty('moved');
    expect([present, kept].map((file) => readFileSync(file, 'utf8').trim())).toEqual([planned, oldKey]);
    const crypto = await openCrypto(await open({ place: where }), Buffer.from(planned, 'hex'));
    expect(crypto.hmac('token-key', 'x')).toBe(createCrypto(Buffer.from(oldKey, 'hex')).hmac('token-key', 'x'));
  });
});

onEachEngine((_engine, open) => {
  test('texts are written a page at a time, each sealed anew for its own place', async () => {
    const db = await open();
    const [from, to] = [createCrypto(Buffer.alloc(32, 1)), createCrypto(Buffer.alloc(32, 2))];
    const ids = Array.from({ length: 1_201 }, (_, index) => index + 1);
    const columns = ['id', 'user_id', 'key_hmac', 'key_sealed', 'name', 'status', 'created_at'];
    const rows = ids.map((id) => [id, 1, `h${id}`, from.seal(`key ${id}`, sealBinding(1, `h${id}`)), 'n', 1, 1]);
    await db.transaction((tx) => tx.perform(insertRows('token', columns, rows)));
    const { heard, texts } = planned(db);
    let pages = 0;
    const moved = await heard.transaction((tx) => {
      const perform: typeof tx.perform = (work) => {
        pages += 1;
        return tx.perform(work);
      };
      return resealAll({ ...tx, perform }, sealed, { from, to });
    });
    expect(moved).toEqual({ moved: ids.length, unreadable: {} });
    expect(pages + texts().filter((text) => /^\s*UPDATE/.test(text)).length).toBe(3);
    const stored = await db.read.selectFrom('token').select(['key_hmac', 'key_sealed']).orderBy('id').execute();
    const keys = stored.map(({ key_hmac, key_sealed }) => to.open(key_sealed, sealBinding(1, key_hmac)));
    expect(keys).toEqual(ids.map((id) => `key ${id}`));
  });
});

onSqlite((_engine, open) => {
  test('a column of sealed texts that is new must be known here', async () => {
    const db = await open();
    const tables = await db.read.introspection.getTables();
    const found = tables.flatMap(({ name, columns }) =>
      columns.filter((column) => column.name.endsWith('_sealed')).map((column) => `${name}.${column.name}`),
    );
    const known = sealed.map(({ table, column }) => `${table}.${column}`);
    expect(known).toEqual(expect.arrayContaining(found));
    // Secrets lie among other texts there.
    expect(known.filter((place) => !found.includes(place)).sort()).toEqual(['option.value', 'users.setting']);
  });
});

onSqlite((_engine, open) => {
  test('what a lost key sealed is empty or refused, and stops no list and no edit', async () => {
    const db = await open();
    const { kit, root } = await furnish(db);
    const parts = { from: createCrypto(Buffer.from(oldKey, 'hex')), to: createCrypto(Buffer.alloc(32, 9)) };
    expect(await db.transaction((tx) => resealAll(tx, sealed, parts))).toMatchObject({ moved: 6 });
    const send = async (method: string, path: string, body?: unknown) => (await kit.call({ method, path, body, as: root })).json;
    const ok = { success: true };

    const [token] = (await send('GET', '/api/token')).data;
    expect(token).toMatchObject({ name: 'work', key: '' });
    expect(await send('GET', '/api/token/search?keyword=work')).toMatchObject({ ...ok, data: [{ id: token.id }] });
    expect(await send('GET', '/api/token/search?token=abc')).toMatchObject({ ...ok, data: [] });
    expect(await send('PUT', '/api/token?status_only=true', { id: token.id, status: 2 })).toMatchObject(ok);
    const rotated = await send('POST', `/api/token/${token.id}/rotate`, { old_key_seconds: 0 });
    expect(rotated).toMatchObject({ ...ok, data: { key: expect.stringMatching(/^\w{48}$/) } });

    const [code] = (await send('GET', '/api/redemption')).data;
    expect(code).toMatchObject({ name: 'gift', key: '' });
    expect(await send('PUT', '/api/redemption?status_only=true', { id: code.id, status: 2 })).toMatchObject(ok);

    const channel = { name: 'copy', type: 1, models: 'gpt-4o', groups: ['default'], group: 'default', copy_from: 1 };
    expect(await send('POST', '/api/channel', channel)).toMatchObject({ success: false, message: '请填写渠道名称和渠道密钥！' });

    const login = await kit.call({
      method: 'POST',
      path: '/api/user/login',
      body: { username: root.name, password: root.password },
    });
    const { ticket } = login.json.data;
    const step = await kit.call({ method: 'POST', path: '/api/user/totp/login', body: { ticket, code: '123456' } });
    expect(step.json).toMatchObject({ success: false, message: expect.stringContaining('验证码') });
    expect(kit.logged).toEqual([]);
  });
});

test('where the new key lies is said by whoever keeps the old one, and nothing is made without a database', async () => {
  const dataDir = newDirectory(undefined);
  mkdirSync(join(dataDir, 'empty'));
  const env = { DATA_DIR: join(dataDir, 'empty') };
  expect(await runCommand({ ...env, SECRET_KEY: oldKey }, 'keys', 'rotate')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('--to'),
  });
  expect(await runCommand(env, 'keys', 'rotate', '--to', 'x')).toMatchObject({ exitCode: 2 });
  expect(await runCommand(env, 'keys', 'rotate')).toMatchObject({ exitCode: 1, err: expect.stringContaining('no database') });
  expect(readdirSync(env.DATA_DIR)).toEqual([]);
});
