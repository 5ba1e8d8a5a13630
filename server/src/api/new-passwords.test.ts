import { hashSync } from 'bcryptjs';
import { expect, test } from 'vitest';
import { createApiKit, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const common = 'dinosaur';

onEachEngine((_name, open) => {
  test('wherever a password is chosen, a common one and the own name are refused with their texts', async () => {
    const kit = await createApiKit(await open());
    const [root, alice] = [await kit.root(), await kit.user('alice')];
    const ways: Record<string, (password: string, username: string) => Promise<string>> = {
      register: (password, username) => send('POST', '/api/user/register', { username, password }),
      'own password': (password) => send('PUT', '/api/user/self', { password, original_password: kitPassword }, alice),
      'with a new name': (password, username) => send('PUT', '/api/user/self', { username, password }, alice),
      'made by root': (password, username) => send('POST', '/api/user/', { username, password }, root),
      'edited by root': (password) => send('PUT', '/api/user/', { id: alice.id, password }, root),
      'renamed by root': (password, username) => send('PUT', '/api/user/', { id: alice.id, username, password }, root),
    };
    const send = async (method: string, path: string, body: object, as?: typeof root): Promise<string> =>
      (await kit.call({ method, path, body, as, headers: { 'Accept-Language': 'en' } })).json.message;
    for (const [way, set] of Object.entries(ways)) {
      const name = way.includes('name') || way.includes('made') || way === 'register' ? 'charlotte' : 'alice';
      expect(await set(common, name), way).toContain('among the most common ones');
      expect(await set(`${name}-1a`, name), way).toContain('is the username');
    }
    expect((await signIn(kit.call, 'alice', kitPassword)).id).toBe(alice.id);
    const people = await kit.db.read.selectFrom('users').select('username').orderBy('id').execute();
    expect(people.map(({ username }) => username)).toEqual(['root', 'alice']);
  });

  test('the first root gets no password that anybody would try', async () => {
    for (const initialPassword of [common, 'root-1234', 'root2026']) {
      const made = createApiKit(await open(), { initialPassword }).then(() => 'made');
      await expect(made, initialPassword).rejects.toThrow('INITIAL_ROOT_PASSWORD is too common');
    }
  });

  test('who was imported with a common password signs in with it', async () => {
    const kit = await createApiKit(await open());
    const alice = await kit.user('alice');
    const imported = { password_hash: hashSync(common, 4) };
    await kit.db.transaction((tx) => tx.query.updateTable('users').set(imported).where('id', '=', alice.id).execute());
    expect((await signIn(kit.call, 'alice', common)).id).toBe(alice.id);
  });
});
