import { domainToASCII } from 'node:url';

/** Domains that are one and the same. */
const sameDomains: ReadonlyMap<string, string> = new Map([
  ['googlemail.com', 'gmail.com'],
  ['protonmail.com', 'proton.me'],
  ['protonmail.ch', 'proton.me'],
  ['pm.me', 'proton.me'],
  ['ya.ru', 'yandex.ru'],
  ['yandex.com', 'yandex.ru'],
  ['me.com', 'icloud.com'],
  ['mac.com', 'icloud.com'],
]);
/** What these do not look at in the part before the @. */
const ignored: ReadonlyMap<string, RegExp> = new Map([
  ['gmail.com', /\./g],
  ['proton.me', /[._-]/g],
]);
/** Where a tag begins; everywhere else behind a plus. */
const tags: ReadonlyMap<string, RegExp> = new Map([
  ['yahoo.com', /[-+].*$/],
  ['ymail.com', /[-+].*$/],
]);
const plusTag = /\+.*$/;

/**
 * One text for all spellings under which one mailbox can be reached: lower case, without tags, without what the provider
 * ignores. For comparing only: mail goes to the address as it was given. Undefined when it is no address.
 */
export function mailPerson(address: string): string | undefined {
  const at = address.lastIndexOf('@');
  if (at < 1) return undefined;
  const ascii = domainToASCII(
    address
      .slice(at + 1)
      .trim()
      .toLowerCase(),
  );
  if (ascii === '') return undefined;
  const domain = sameDomains.get(ascii) ?? ascii;
  const local = address.slice(0, at).trim().toLowerCase().normalize('NFKC');
  const bare = local.replace(tags.get(domain) ?? plusTag, '').replace(ignored.get(domain) ?? /$^/g, '');
  // A mailbox that is nothing but a tag is its own.
  return `${bare === '' ? local : bare}@${domain}`;
}
