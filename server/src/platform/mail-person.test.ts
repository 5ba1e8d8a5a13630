import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mailPerson } from './mail-person.ts';

test('the spellings of one mailbox are one person', () => {
  const same = (first: string, ...others: readonly string[]) => {
    for (const other of others) expect([other, mailPerson(other)]).toEqual([other, mailPerson(first)]);
  };
  same('anna.lee@gmail.com', 'annalee@gmail.com', 'A.nna.L.ee+shop@Gmail.com', 'annalee@googlemail.com');
  same('anna@example.org', 'Anna+1@EXAMPLE.org', ' anna+a+b@example.org');
  same('anna_lee@proton.me', 'anna.lee@protonmail.com', 'annalee+x@pm.me');
  same('anna@yahoo.com', 'anna-shop@yahoo.com');
  same('anna@bücher.example', 'ANNA@xn--bcher-kva.example');
});

test('different mailboxes stay different; what is no address is nobody', () => {
  const people = ['a.b@example.org', 'ab@example.org', 'a-b@example.org', 'ab@example.com', '+ab@example.org', '+cd@example.org'];
  expect(new Set(people.map(mailPerson)).size).toBe(people.length);
  for (const text of ['', 'anna', '@example.org', 'anna@']) expect(mailPerson(text)).toBeUndefined();
});

test('a person is the same person however often it is asked', () => {
  const domain = fc.constantFrom('gmail.com', 'yahoo.com', 'pm.me', 'example.org');
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9._+-]{1,20}$/), domain, (local, at) => {
      const person = mailPerson(`${local}@${at}`);
      expect(mailPerson(person ?? '')).toBe(person);
    }),
  );
});
