import { createHash, createHmac } from 'node:crypto';
import { nowSeconds } from '../../platform/clock.ts';
import { sameText } from '../../platform/crypto.ts';
import { PublicError } from '../../platform/errors.ts';
import type { DoorDeps } from '../deps.ts';
import { markOnce } from '../one-time.ts';
import type { Profile } from './profile.ts';

/** What the widget sends; anything else is not from it. */
const fields = new Set(['id', 'first_name', 'last_name', 'username', 'photo_url', 'auth_date', 'hash', 'lang']);
const maxAgeSeconds = 300;
const maxAheadSeconds = 60;

type Fields = Readonly<Record<string, string>>;

/**
 * Checks the widget's signature and age; each set of fields counts once. A line end in a value could be read as the end of a
 * field, so that a name would sign another number. Throws PublicError `telegram_invalid`.
 */
export async function telegramProfile(deps: DoorDeps, query: Fields): Promise<Profile> {
  const token = deps.options().TelegramBotToken;
  // An empty secret equals no secret.
  if (token === '') throw new PublicError('not_found');
  const now = nowSeconds(deps.clock);
  const { id = '', auth_date: authDate = '', hash = '' } = query;
  const age = now - Number(authDate);
  const isGenuine =
    Object.entries(query).every(([name, value]) => fields.has(name) && !value.includes('\n')) &&
    /^[1-9]\d{0,18}$/.test(id) &&
    /^\d{1,12}$/.test(authDate) &&
    age <= maxAgeSeconds &&
    age >= -maxAheadSeconds &&
    isSigned(query, hash, token);
  if (!isGenuine) throw new PublicError('telegram_invalid');
  const expiresAt = now + maxAgeSeconds + maxAheadSeconds + 1;
  const mark = { kind: 'telegram', parts: [id, authDate, hash], userId: 0, payload: '', expiresAt } as const;
  const isFirst = await deps.db.transaction((tx) => markOnce(tx, mark));
  if (!isFirst) throw new PublicError('telegram_invalid');
  const name = [query.first_name, query.last_name].filter((part) => part !== undefined && part !== '').join(' ');
  return { id, displayName: name || (query.username ?? '') };
}

/** The hash may or may not cover `lang`, which the page adds. */
function isSigned(query: Fields, hash: string, token: string): boolean {
  const key = createHash('sha256').update(token).digest();
  return [['hash'], ['hash', 'lang']].some((left) => {
    const pairs = Object.entries(query).filter(([name]) => !left.includes(name));
    const text = pairs.map(([name, value]) => `${name}=${value}`).sort();
    return sameText(createHmac('sha256', key).update(text.join('\n')).digest('hex'), hash);
  });
}
