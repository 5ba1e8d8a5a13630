import { type ChannelType, channelTypes } from '@tollgate/contract';
import { PublicError } from '../platform/errors.ts';
import { JsonRefused, parseStrictJson } from '../platform/strict-json.ts';

/** What of a channel its type has rules for. */
interface Special {
  type: number;
  base_url: string;
  other: string;
}

const region = /^[a-z0-9-]{1,64}$/;
const version = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const identifier = /^[A-Za-z0-9_-]{1,128}$/;
const headerText = /^[\x21-\x7e]{1,255}$/;
const modelPlaceholder = '{model}';
const maxCredential = 65_536;

/** Checks the special fields of a whole row and returns `other` as it is stored. Throws PublicError (contract 4.3). */
export function checkSpecialFields({ type, base_url: address, other }: Special): string {
  const known = channelTypes.find((entry) => entry.type === type);
  if (known === undefined) throw new PublicError('channel_type_unknown');
  if (address === '' && known.needsAddress === true) throw new PublicError('channel_base_url_missing');
  const rest = known.completeUrl === true ? address.replaceAll(modelPlaceholder, '') : address;
  if (/[{}]/.test(rest)) throw new PublicError('channel_base_url_invalid');
  return otherField(known.other, other);
}

function otherField(rule: ChannelType['other'], text: string): string {
  if (rule === undefined) return text;
  if (text === '') {
    if (rule.required === true) throw new PublicError('channel_region_missing');
    return rule.fallback ?? '';
  }
  if (rule.kind === 'region') checkRegion(text);
  else if (!patterns[rule.kind].test(text)) throw new PublicError('channel_other_invalid');
  return text;
}

const patterns = { version, id: identifier, plugin: headerText } as const;

/** A region, or a JSON map from model to region that names a default. */
function checkRegion(text: string): void {
  if (!text.startsWith('{')) {
    if (!region.test(text)) throw new PublicError('channel_region_invalid');
    return;
  }
  const map = objectIn(text);
  if (map === undefined) throw new PublicError('channel_region_invalid');
  if (map.default === undefined || map.default === '') throw new PublicError('channel_region_default_missing');
  for (const value of Object.values(map)) {
    if (typeof value !== 'string' || !region.test(value)) throw new PublicError('channel_region_invalid');
  }
}

/**
 * The credentials in what an operator entered for this type: one per non-empty line, without what was pasted along with it,
 * or one JSON document as a single line. Throws PublicError when one is not in the type's format or cannot be sent in a header.
 */
export function credentialsIn(type: number, text: string, maxKeys: number): string[] {
  const format = channelTypes.find((entry) => entry.type === type)?.key;
  if (format?.kind === 'json') return jsonCredential(text.trim(), format.text);
  const keys = text.split('\n').flatMap((line) => bareKey(line) || []);
  if (keys.length > maxKeys) throw new PublicError('channel_keys_many', { max: maxKeys });
  if (keys.some((key) => !/^[\x20-\x7e]+$/.test(key))) throw new PublicError('parameter_error');
  if (format === undefined) return keys;
  const complete = (key: string) => key.split('|').filter((part) => part.trim() !== '').length >= format.min;
  if (!keys.every(complete)) throw new PublicError('channel_key_format', { format: format.text });
  return keys;
}

const unseen = /\p{Default_Ignorable_Code_Point}/gu;
const beside = /[\s"'`“”‘’,，;；]/;

/** Without what is part of no credential, at the ends of each of its parts: a list's quotes and commas, the name of the scheme. */
function bareKey(line: string): string {
  const text = line.replaceAll(unseen, '').trim();
  if (text.startsWith('{')) return text;
  const parts = text.split('|').map((part) => {
    const key = withoutEnds(part);
    return /^bearer\s/i.test(key) ? withoutEnds(key.slice('bearer'.length)) : key;
  });
  return parts.join('|');
}

function withoutEnds(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && beside.test(text.charAt(start))) start += 1;
  while (end > start && beside.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function jsonCredential(text: string, format: string): string[] {
  if (text === '') return [];
  const document = text.length > maxCredential ? undefined : objectIn(text);
  if (document === undefined) throw new PublicError('channel_key_format', { format });
  return [JSON.stringify(document)];
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseStrictJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof JsonRefused) return undefined;
    throw error;
  }
}
