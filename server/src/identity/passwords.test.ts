import { hashSync } from 'bcryptjs';
import { expect, test } from 'vitest';
import { createPasswords } from './passwords.ts';

const cheap = { memoryKiB: 64, passes: 1 };

test('the product hashes with argon2id, 64 MiB, three passes', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct-horse-9');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/);
  expect(await passwords.verify(hash, 'correct-horse-9')).toBe(true);
  expect(await passwords.verify(hash, 'correct-horse-8')).toBe(false);
  expect(passwords.isOutdated(hash)).toBe(false);
  expect(createPasswords(cheap).isOutdated(hash)).toBe(true);
});

test('whoever has no password or no account is never right', async () => {
  const passwords = createPasswords(cheap);
  for (const hash of [undefined, '', 'plain']) {
    expect(await passwords.verify(hash, '')).toBe(false);
    expect(await passwords.verify(hash, 'nobody signs in with this')).toBe(false);
  }
});

test('whoever has no account costs what a wrong password costs, from the first one on, and a start costs nothing', async () => {
  /** Processor time in milliseconds: the least of three. */
  const cpuMs = async (run: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    return Math.min(...times);
  };
  const passwords = createPasswords();
  const hash = await passwords.hash('correct-horse-9');
  const once = await cpuMs(() => passwords.hash('correct-horse-9'));
  const wrong = await cpuMs(() => createPasswords().verify(hash, 'correct-horse-8'));
  const nobody = await cpuMs(() => createPasswords().verify(undefined, 'correct-horse-8'));
  for (const each of [wrong, nobody]) {
    expect(each / once).toBeGreaterThan(0.5);
    expect(each / once).toBeLessThan(1.8);
  }
});

test('four hash at once, sixty-four wait, the rest is told to come back', async () => {
  const passwords = createPasswords(cheap);
  const outcomes = await Promise.allSettled(Array.from({ length: 80 }, () => passwords.hash('x')));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(80 - 68);
  expect(refused[0]?.reason).toMatchObject({ code: 'too_many_requests' });
  expect(await passwords.hash('afterwards')).toContain('argon2id');
});

test('hashes of an import are verified and count as outdated, one that would take minutes is refused', async () => {
  const passwords = createPasswords(cheap);
  const imported = hashSync('an-old-password-7', 4);
  expect(await passwords.verify(imported, 'an-old-password-7')).toBe(true);
  expect(await passwords.verify(imported.replace('$2b$', '$2a$'), 'an-old-password-7')).toBe(true);
  expect(await passwords.verify(imported, 'an-old-password-8')).toBe(false);
  expect(passwords.isOutdated(imported)).toBe(true);
  expect(await passwords.verify(imported.replace('$04$', '$31$'), 'an-old-password-7')).toBe(false);
});
