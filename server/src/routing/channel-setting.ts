/** How a channel with several credentials chooses one; undefined = every line of the key field is a channel of its own. */
export type MultiKeyMode = 'random' | 'polling';

/** What the relay reads of a channel's `setting`; anything else in it belongs to others. Times are milliseconds. */
export interface ChannelSetting {
  readonly multiKey: MultiKeyMode | undefined;
  /** A second attempt starts on another channel when no head came within this. */
  readonly hedgeMs: number | undefined;
  readonly connectTimeoutMs: number | undefined;
  readonly firstByteTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly totalTimeoutMs: number | undefined;
  /** Pieces of a stream that come within this are written together. */
  readonly coalesceMs: number | undefined;
  /** How long the upstream's figures are waited for after the caller left in mid-answer; undefined = it is cut off at once. */
  readonly drainMs: number | undefined;
  /** The http, https or socks5 address that all of the channel's calls go through; one that cannot be read fails them. */
  readonly proxy: string | undefined;
  /** Thoughts are told as text between `<think>` marks. */
  readonly thinkingToContent: boolean;
  /** Answers are spelled anew in the plain shape of the caller's dialect. */
  readonly forceFormat: boolean;
  /** Instructions of the operator's; "" = none. */
  readonly systemPrompt: string;
  /** They stand instead of the caller's, not before them. */
  readonly systemPromptOverride: boolean;
  /** Requests in the upstream's own protocol go out as they came. */
  readonly passThroughBody: boolean;
}

const timeouts = { least: 10, most: 86_400_000 };
/** What no reader of a stream notices. */
const pauses = { least: 1, most: 20 };
/** Nobody reads any more, and the hold is kept as long. */
const drains = { least: 1, most: 5_000 };

const none: ChannelSetting = {
  multiKey: undefined,
  hedgeMs: undefined,
  connectTimeoutMs: undefined,
  firstByteTimeoutMs: undefined,
  idleTimeoutMs: undefined,
  totalTimeoutMs: undefined,
  coalesceMs: undefined,
  drainMs: undefined,
  proxy: undefined,
  thinkingToContent: false,
  forceFormat: false,
  systemPrompt: '',
  systemPromptOverride: false,
  passThroughBody: false,
};

/** Reads the members by their contract names (4.10); a time out of range counts as absent. */
export function readChannelSetting(setting: Readonly<Record<string, unknown>>): ChannelSetting {
  // Most channels have none, and there are thousands of channels.
  if (Object.keys(setting).length === 0) return none;
  const { multi_key: mode } = setting;
  return {
    multiKey: mode === 'random' || mode === 'polling' ? mode : undefined,
    hedgeMs: milliseconds(setting.hedge_ms),
    connectTimeoutMs: milliseconds(setting.connect_timeout_ms),
    firstByteTimeoutMs: milliseconds(setting.first_byte_timeout_ms),
    idleTimeoutMs: milliseconds(setting.idle_timeout_ms),
    totalTimeoutMs: milliseconds(setting.total_timeout_ms),
    coalesceMs: milliseconds(setting.coalesce_ms, pauses),
    drainMs: milliseconds(setting.drain_ms, drains),
    proxy: proxyText(setting.proxy),
    thinkingToContent: setting.thinking_to_content === true,
    forceFormat: setting.force_format === true,
    systemPrompt: typeof setting.system_prompt === 'string' ? setting.system_prompt : '',
    systemPromptOverride: setting.system_prompt_override === true,
    passThroughBody: setting.pass_through_body_enabled === true,
  };
}

/** The mode that a stored `setting` text asks for. */
export const multiKeyMode = (setting: string): MultiKeyMode | undefined => storedSetting(setting).multiKey;

/** The proxy that a stored `setting` text asks for. */
export const proxyIn = (setting: string): string | undefined => storedSetting(setting).proxy;

/** What cannot be read asks for nothing: no call goes out by it. */
function storedSetting(text: string): ChannelSetting {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    return typeof value === 'object' && value !== null ? readChannelSetting(value as Record<string, unknown>) : none;
  } catch {
    return none;
  }
}

/** What is no text is kept, too: a channel with a wrong proxy must not go out without one. */
function proxyText(value: unknown): string | undefined {
  const text = value === undefined || value === null ? '' : String(value).trim();
  return text === '' ? undefined : text;
}

function milliseconds(value: unknown, { least, most } = timeouts): number | undefined {
  return typeof value === 'number' && value >= least && value <= most ? Math.round(value) : undefined;
}
