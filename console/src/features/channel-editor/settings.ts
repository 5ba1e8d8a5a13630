import { setting_number_invalid, setting_proxy_invalid } from '../../i18n/generated/messages.ts';
import { isRecord } from '../../lib/json.ts';

/** The members of a channel's `setting` that have fields of their own. Fields and JSON show one and the same text. */
export type MultiKey = 'random' | 'polling';
export const durationKeys = [
  'connect_timeout_ms',
  'first_byte_timeout_ms',
  'idle_timeout_ms',
  'total_timeout_ms',
  'hedge_ms',
] as const;
export type DurationKey = (typeof durationKeys)[number];
const shortestMs = 10;
const longestMs = 86_400_000;

/** The settings in a text; undefined when it is no JSON object. */
export function readSetting(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text with one member set, or taken out by `undefined`. A text that cannot be read stays as it is. */
export function withSetting(text: string, name: string, value: unknown): string {
  const setting = readSetting(text);
  if (!setting) return text;
  const { [name]: _before, ...rest } = setting;
  const next = value === undefined ? rest : { ...setting, [name]: value };
  return Object.keys(next).length === 0 ? '' : JSON.stringify(next, null, 2);
}

export function multiKeyOf(text: string): MultiKey | undefined {
  const mode = readSetting(text)?.multi_key;
  return mode === 'random' || mode === 'polling' ? mode : undefined;
}

const isDuration = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= shortestMs && Number(value) <= longestMs;

/** The fault of one member; undefined when it is absent or fits. */
export function settingFault(setting: Record<string, unknown>, name: DurationKey | 'proxy'): string | undefined {
  const value = setting[name];
  if (value === undefined || value === null) return undefined;
  if (name !== 'proxy') return isDuration(value) ? undefined : setting_number_invalid({ name });
  if (value === '') return undefined;
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  return url && /^(https?|socks5):$/.test(url.protocol) && url.host !== '' ? undefined : setting_proxy_invalid();
}

/** The first fault among the members that have fields. */
export function firstSettingFault(text: string): string | undefined {
  const setting = readSetting(text) ?? {};
  for (const name of [...durationKeys, 'proxy'] as const) {
    const fault = settingFault(setting, name);
    if (fault) return fault;
  }
  return undefined;
}
