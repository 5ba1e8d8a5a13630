import { dictionary } from '@zxcvbn-ts/language-common';
import { expect, test } from 'vitest';
import { checkNewPassword, isCommonPassword, isOwnName } from './weak-passwords.ts';

test('the ten thousand most common passwords of eight characters and more are refused, whatever their case', async () => {
  const common = dictionary['passwords-common'].filter((password) => password.length >= 8).slice(0, 10_000);
  expect(common).toHaveLength(10_000);
  const passed = await Promise.all(common.map(async (word) => !(await isCommonPassword(word.toUpperCase()))));
  expect(common.filter((_, index) => passed[index])).toEqual([]);
});

test('what is missing on the list but no better is refused too', async () => {
  const weak = [
    'Passw0rd',
    '11111111',
    '87654321',
    'abcdefgh',
    'abababab',
    'asdasdasd',
    '20242024',
    'admin123456',
    'Iloveyou2024',
    '2024passw0rd!',
  ];
  for (const password of [...weak, 'woaini1314', 'aaaaaaaaaaaaaaaaaaaa', 'guestguest', 'Tollgate123']) {
    await expect(checkNewPassword(password, 'alice'), password).rejects.toMatchObject({ code: 'password_is_weak' });
  }
});

test('the own name, also trimmed with a few characters, is refused as such', async () => {
  for (const password of ['alice-in', 'ALICE123', '12alice!', 'alicealice'.slice(0, 9)]) {
    await expect(checkNewPassword(password, 'alice'), password).rejects.toMatchObject({ code: 'password_is_name' });
  }
  expect(isOwnName('charlotte', 'Charlotte')).toBe(true);
  expect(isOwnName('a-sentence-by-charlotte', 'charlotte')).toBe(false);
});

test('sentences and chance pass, also with a common word inside', async () => {
  const fine = [
    'correct-horse-9',
    'alice-likes-long-walks',
    '汉字密码也可以用',
    'x7Kp2mQz',
    'brand-new-12',
    'computer 93847561',
    'password of my grandmother',
  ];
  for (const password of fine) await expect(checkNewPassword(password, 'alice'), password).resolves.toBeUndefined();
});
