import { mail_address_invalid, mail_address_missing } from '../../i18n/generated/messages.ts';

/** What the server takes at most for an account. */
const maxLength = 50;
/** What was imported may be longer. */
export const maxKnownLength = 254;
const shape = /^[^\s@"(),:;<>[\\\]]{1,64}@[^\s@"(),:;<>[\\\]]+\.[^\s@"(),:;<>[\\\]]{2,}$/;

/** Why this is no mail address; undefined when it may be one. Whether it exists, only a mail tells. */
export function addressFault(text: string, longest = maxLength): string | undefined {
  const address = text.trim();
  if (address === '') return mail_address_missing();
  return address.length <= longest && shape.test(address) ? undefined : mail_address_invalid();
}
