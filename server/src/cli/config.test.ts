import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { configSecretKey, createConfigKit } from '../../test/config-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const wanted = `version: 1
channels:
  - name: "first\\e[31m"
    type: OpenAI
    models: [m]
    groups: [default]
    keys: [{ env: KEY_OF_FIRST }]
options:
  SMTPToken: { env: MAIL_TOKEN }
`;

onEachEngine((_engine, open, { place }) => {
  test('export, plan and apply from the command line: a file for its owner, exit codes, and no secret in anything printed', async () => {
    const where = await place();
    const kit = await createConfigKit(await open({ place: where }));
    const folder = newFolder();
    const env = {
      ...{ DATABASE_URL: where.url, DATA_DIR: where.dataDir || folder, SECRET_KEY: configSecretKey },
      ...{ KEY_OF_FIRST: 'sk-planted-first', MAIL_TOKEN: 'planted-mail' },
    };
    const [file, to] = [join(folder, 'wanted.yaml'), join(folder, 'out.yaml')];
    const printed: string[] = [];
    const run = async (...args: string[]) => {
      const result = await runCommand(env, 'config', ...args);
      printed.push(result.out, result.err);
      return result;
    };
    writeFileSync(file, wanted);

    expect((await run('plan', file, '--json')).json()).toMatchObject({
      ...{ ok: true, applied: false, created: 2, changed: 0, deleted: 0 },
      changes: [
        { action: 'create', section: 'channels', fields: expect.arrayContaining([{ field: 'keys', secret: true }]) },
        { action: 'create', section: 'options', name: 'SMTPToken' },
      ],
    });
    const plan = await run('plan', file);
    expect(plan).toMatchObject({
      exitCode: 1,
      out: expect.stringMatching(/^\+ channel first \[31m$[\s\S]*keys: set$[\s\S]*2 to create, 0 to change/m),
    });
    expect(await kit.rows()).toEqual([]);
    expect(await run('apply', file)).toMatchObject({ exitCode: 0, out: expect.stringContaining('2 created') });
    expect(await run('plan', file)).toMatchObject({ exitCode: 0, out: expect.stringContaining('Nothing to do') });
    expect((await run('apply', file, '--json')).json()).toMatchObject({ ok: true, applied: false, changes: [] });
    expect(await kit.rows()).toHaveLength(1);

    expect(await run('export', '--to', to)).toMatchObject({ exitCode: 0, out: expect.stringContaining('1 channels') });
    expect(statSync(to).mode & 0o777).toBe(0o600);
    expect((await run('export')).out).toBe(readFileSync(to, 'utf8'));
    expect((await run('export', '--json')).json()).toEqual({ channels: 1, secrets: 'sealed', yaml: readFileSync(to, 'utf8') });
    expect((await run('export', '--secrets', 'env')).out).toContain('env: TOLLGATE_KEY_FIRST');
    expect((await run('export', '--secrets', 'none')).out).not.toMatch(/sealed|env:/);
    expect(await run('export', '--secrets', 'plain')).toMatchObject({ exitCode: 2 });
    expect(readdirSync(folder).filter((name) => name.endsWith('.draft'))).toEqual([]);

    writeFileSync(file, wanted.replace('models:', 'modles:'));
    const refused = await run('apply', file);
    expect(refused).toMatchObject({ exitCode: 2, out: expect.stringContaining(`${file}:5: channel first`) });
    expect((await run('plan', file, '--json')).json()).toMatchObject({
      error: expect.stringContaining('faults'),
      faults: [{ line: 5 }],
    });
    expect(await run('plan', join(folder, 'none.yaml'))).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('cannot be read'),
    });
    expect(printed.join('')).not.toContain('planted');
    expect(printed.join('')).not.toContain('\u001b');
  });
});
