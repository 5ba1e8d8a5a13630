import type { BalanceCall } from './balance.ts';

/** A wire dialect an upstream can be spoken to in. */
export type Protocol = 'openai-chat';

/**
 * One channel type: a flat record. An absent field means unsupported. Adding an OpenAI-compatible vendor is one line in
 * the table of compatible vendors.
 */
export interface Provider {
  readonly type: number;
  /** `owned_by` of its models. */
  readonly name: string;
  /** Used when the channel has no address of its own; "" = the channel must have one. */
  readonly baseUrl: string;
  /** Path per protocol, appended to the base URL. */
  readonly paths: Partial<Record<Protocol, string>>;
  /** The channel's address is complete and may hold {model}; no path is appended. */
  readonly completeUrl?: boolean;
  /** Understands stream_options.include_usage. */
  readonly streamUsage: boolean;
  /** Header that carries the key; default `authorization: Bearer KEY`. */
  readonly keyHeader?: string;
  /** Further fixed request headers, lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the channel's organisation in this header. */
  readonly organizationHeader?: string;
  /** Names the completion cap of a model whose requests have none yet; default `max_tokens`. */
  readonly capField?: (model: string) => 'max_tokens' | 'max_completion_tokens';
  /** Statuses beside 401 that mean a dead key. */
  readonly keyRefusals?: readonly number[];
  /** Suggested models. */
  readonly models: readonly string[];
  /** Where it lists its models, below the base URL; `strip` is cut from the front of each name. Absent = unknown. */
  readonly modelList?: { readonly path: string; readonly strip?: string };
  readonly balance?: BalanceCall;
  /** Why the channel test refuses this type. */
  readonly untestable?: string;
  /** Channels can be stored, but no protocol of this type is spoken yet: `paths` is empty. */
  readonly planned?: true;
}
