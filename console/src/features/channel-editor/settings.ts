import { setting_number_invalid, setting_proxy_invalid } from '../../i18n/generated/messages.ts';
import { isRecord, parseJson } from '../../lib/json.ts';

/** The members of a channel's `setting` that have fields of their own. Fields and JSON show one and the same text. */
export type MultiKey = 'random' | 'polling';
const timeout = { least: 10, most: 86_400_000 };
/** Milliseconds that each may be. */
const durations = {
  connect_timeout_ms: timeout,
  first_byte_timeout_ms: timeout,
  idle_timeout_ms: timeout,
  total_timeout_ms: timeout,
  hedge_ms: timeout,
  coalesce_ms: { least: 1, most: 20 },
  drain_ms: { least: 1, most: 5_000 },
} as const;
export type DurationKey = keyof typeof durations;
const durationKeys = Object.keys(durations) as DurationKey[];

/** The settings in a text; undefined when it is no JSON object. */
export function readSetting(text: string): Record<string, unknown> | undefined {
  const value = text.trim() === '' ? {} : parseJson(text);
  return isRecord(value) ? value : undefined;
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

const isWithin = (value: unknown, { least, most }: typeof timeout): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most;

/** The fault of one member; undefined when it is absent or fits. */
export function settingFault(setting: Record<string, unknown>, name: DurationKey | 'proxy'): string | undefined {
  const value = setting[name];
  if (value === undefined || value === null) return undefined;
  if (name !== 'proxy')
    return isWithin(value, durations[name]) ? undefined : setting_number_invalid({ name, ...durations[name] });
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
