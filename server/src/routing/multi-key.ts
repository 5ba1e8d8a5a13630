/** How a channel with several credentials chooses one; undefined = every line of the key field is a channel of its own. */
export type MultiKeyMode = 'random' | 'polling';

/** One credential of a channel, as the relay uses it. */
export interface RouteKey {
  /** Names the credential and where it goes: another key or another address has a health of its own. */
  readonly id: string;
  /** Its line in the key field, from 0. */
  readonly index: number;
  readonly secret: string;
  /** Switched off alone, automatically or by hand. */
  readonly disabled: boolean;
}

/** What the relay reads of a channel's `setting`; anything else in it belongs to others. Times are milliseconds. */
export interface ChannelSetting {
  readonly multiKey: MultiKeyMode | undefined;
  /** A second attempt starts on another channel when no head came within this. */
  readonly hedgeMs: number | undefined;
  readonly connectTimeoutMs: number | undefined;
  readonly firstByteTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly totalTimeoutMs: number | undefined;
}

const longestMs = 86_400_000;
const shortestMs = 10;

/** Reads `multi_key`, `hedge_ms` and the `..._timeout_ms` members; a value out of range counts as absent. */
export function readChannelSetting(setting: Readonly<Record<string, unknown>>): ChannelSetting {
  const { multi_key: mode } = setting;
  return {
    multiKey: mode === 'random' || mode === 'polling' ? mode : undefined,
    hedgeMs: milliseconds(setting.hedge_ms),
    connectTimeoutMs: milliseconds(setting.connect_timeout_ms),
    firstByteTimeoutMs: milliseconds(setting.first_byte_timeout_ms),
    idleTimeoutMs: milliseconds(setting.idle_timeout_ms),
    totalTimeoutMs: milliseconds(setting.total_timeout_ms),
  };
}

/** The mode that a stored `setting` text asks for. */
export function multiKeyMode(setting: string): MultiKeyMode | undefined {
  try {
    const value: unknown = setting.trim() === '' ? {} : JSON.parse(setting);
    return typeof value === 'object' && value !== null
      ? readChannelSetting(value as Record<string, unknown>).multiKey
      : undefined;
  } catch {
    return undefined;
  }
}

/** The credentials inside one stored key text, at least one. A JSON credential is one, however many lines it has. */
export function splitKeys(text: string, mode: MultiKeyMode | undefined): string[] {
  if (text.startsWith('{')) return [text];
  const lines = text.split('\n').filter((line) => line !== '');
  const [first = ''] = lines;
  return mode === undefined || lines.length === 0 ? [first] : lines;
}

function milliseconds(value: unknown): number | undefined {
  return typeof value === 'number' && value >= shortestMs && value <= longestMs ? Math.round(value) : undefined;
}
