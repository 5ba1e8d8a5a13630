import { createHash, createHmac } from 'node:crypto';

export interface TelegramFields {
  id: number;
  first_name?: string;
  username?: string;
  auth_date: number;
}

/** What the login widget hands to the page, signed the way its documentation tells. */
export function telegramLogin(botToken: string, fields: TelegramFields): URLSearchParams {
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
  const checkString = pairs
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n');
  const secretKey = createHash('sha256').update(botToken).digest();
  return new URLSearchParams([...pairs, ['hash', createHmac('sha256', secretKey).update(checkString).digest('hex')]]);
}
