import { domainToASCII } from 'node:url';
import { PublicError } from '../platform/errors.ts';
import type { Options } from '../settings/index.ts';

const maxLength = 50;
const shape = /^([^\s@"(),:;<>[\\\]]{1,64})@([^\s@"(),:;<>[\\\]]{1,255})$/;

/** One spelling per address: lower case, the domain in its ASCII form. Undefined when it is none. */
export function normalAddress(text: string): string | undefined {
  const [, local, domain] = shape.exec(text.trim().toLowerCase()) ?? [];
  if (local === undefined || domain === undefined) return undefined;
  const ascii = domainToASCII(domain);
  const isDomain = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(ascii);
  return isDomain ? `${local}@${ascii}` : undefined;
}

/** A new address for an account. Throws PublicError with the texts of contract 2.5. */
export function acceptAddress(text: string, options: Options): string {
  const address = normalAddress(text);
  if (address === undefined || address.length > maxLength) throw new PublicError('email_invalid');
  const [local = '', domain = ''] = address.split('@');
  if (options.EmailDomainRestrictionEnabled && !allowedDomains(options).has(domain)) {
    throw new PublicError('email_domain_refused');
  }
  if (options.EmailAliasRestrictionEnabled && /[+.]/.test(local)) throw new PublicError('email_alias_refused');
  return address;
}

function allowedDomains(options: Options): Set<string> {
  return new Set(options.EmailDomainWhitelist.map((domain) => domainToASCII(domain.trim().toLowerCase())));
}
