import type { chat, geminiGenerate, JsonObject, WireError } from '@tollgate/wire';
import type { BalanceCall } from './balance.ts';
import type { ChannelFacts, ChatProtocol, Family, Protocol, Upload, UpstreamCallFacts, Wants } from './call.ts';
import type { Framing } from './framing.ts';
import type { Signer, SignTools } from './sign.ts';
import type { TaskApi } from './tasks/task-api.ts';
import type { VariantOf } from './variant.ts';

/** A path below the channel's address, with `{model}`; or made from the call, then possibly a whole address. Throws RangeError on a channel that is set up wrongly: its message is shown. */
export type Place = string | ((call: UpstreamCallFacts) => string);

/** A family whose upstream does not speak the canonical shape. All functions are pure and never throw on odd JSON. */
export interface FamilyShape {
  /** Why the upstream cannot do with one request what is asked for, and charged for; undefined = it can. Another channel may. */
  refuses?(body: JsonObject, call: UpstreamCallFacts): string | undefined;
  /** The upstream's body for a canonical one. */
  encode(body: JsonObject, call: UpstreamCallFacts): JsonObject;
  /** The same for texts of which the caller said more than a canonical body can; `says` = the words of what that was. */
  readonly inputs?: {
    readonly says: readonly string[];
    encode(inputs: readonly geminiGenerate.EmbedInput[], call: UpstreamCallFacts): JsonObject;
  };
  /** Instead of the caller's form: what the upstream wants. */
  encodeUpload?(form: Upload, call: UpstreamCallFacts): { readonly body: Buffer; readonly mediaType: string };
  /** The canonical answer to the canonical request `asked`, with its usage where the upstream told it; an error as it came. */
  decode(answer: JsonObject, call: UpstreamCallFacts, asked: JsonObject): JsonObject;
  /** An upstream that works in the background: where to ask for an answer's result; undefined = this is the result. */
  poll?(answer: JsonObject, base: string): { readonly url: string; readonly afterMs: number } | undefined;
}

/** Where an upstream lists its models. */
export interface ModelList {
  /** Below the base URL; or made from the channel, then possibly a whole address. Throws RangeError as a Place does. */
  readonly path: string | ((channel: ChannelFacts) => string);
  /** The member that holds the entries; default `data`, "" = the body is the list. */
  readonly list?: string;
  /** The member of an entry that is its name; default `id`. */
  readonly id?: string;
  /** Cut from the front of each name. */
  readonly strip?: string;
}

/** Of media by address. */
export type MediaKinds = readonly ('image' | 'file')[];

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
  /** Where it is asked, by what it speaks. */
  readonly paths: Partial<Record<Protocol, Place>>;
  /** Where it says how long a prompt of the dialect is; absent = nowhere, and it is counted here. */
  readonly countPaths?: Partial<Record<ChatProtocol, Place>>;
  /** What a caller is told to ask instead, by the family that it does not serve, where the vendor has a way of its own. */
  readonly instead?: Partial<Record<Family, string>>;
  /** Families with a shape of their own. */
  readonly shapes?: Partial<Record<Family, FamilyShape>>;
  /** Which of its chat dialects a model is spoken to in, perhaps by what is wanted of it; default all of `paths`. */
  readonly dialectsOf?: (model: string, wants?: Wants) => readonly ChatProtocol[];
  /** A gateway that puts the beginning of this vendor's paths there itself: below its addresses they are asked without it. */
  readonly fronted?: { readonly by: string; readonly without: string };
  /** The channel's address is complete and may hold {model}; no path is appended. */
  readonly completeUrl?: boolean;
  /** Understands stream_options.include_usage. */
  readonly streamUsage: boolean;
  /** Header that carries the key; default `authorization: Bearer KEY`. */
  readonly keyHeader?: string;
  /** Proves who asks where a header with the key does not. */
  readonly sign?: Signer;
  /**
   * Puts where it belongs what a body cannot hold, and returns the body that names it. Rejects with SignFault, or with
   * RangeError where the upstream does not take what the caller sent: its message is shown.
   */
  readonly deliver?: (body: Buffer, call: UpstreamCallFacts, tools: SignTools) => Buffer | Promise<Buffer>;
  /** Further fixed request headers, lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further headers that the call decides. */
  readonly headersOf?: (call: UpstreamCallFacts) => Readonly<Record<string, string>> | undefined;
  /** Sends the channel's organisation in this header. */
  readonly organizationHeader?: string;
  /** Names the completion cap of a model whose requests have none yet; default `max_tokens`. */
  readonly capField?: (model: string) => 'max_tokens' | 'max_completion_tokens';
  /**
   * What this vendor wants otherwise in a body of the dialect: a new object that shares untouched members. Top-level
   * members that differ are spliced into a passthrough, so the rest of the caller's bytes stays.
   */
  readonly adapt?: (body: JsonObject, call: UpstreamCallFacts) => JsonObject;
  /** `adapt` changes nothing where this says no: such bodies need not be parsed. */
  readonly adapts?: (call: UpstreamCallFacts) => boolean;
  /** How a streamed answer is framed; default server-sent events. See framing.ts. */
  readonly framing?: Framing;
  /** Members beyond the published dialect that its upstream takes, for requests that come from another dialect. */
  readonly extensions?: readonly chat.Extension[];
  /** Names of models that say how to think. */
  readonly variantOf?: VariantOf;
  /**
   * Media its upstream takes by address, where that is less than the dialect allows. It holds for requests in the
   * upstream's own dialect, too.
   */
  readonly mediaByUrl?: MediaKinds | ((protocol: Protocol) => MediaKinds);
  /** Most pictures in one message of a request that comes from another dialect. */
  readonly maxImages?: (protocol: Protocol) => number | undefined;
  /** The request goes as the first message of a WebSocket, whose messages are the stream; implies `streamsOnly`. */
  readonly transport?: 'websocket';
  /** Its chat is always asked for as a stream; who wants a whole answer gets the folded one. */
  readonly streamsOnly?: true;
  /** Statuses beside 401 that mean a dead key. */
  readonly keyRefusals?: readonly number[];
  /** Codes that mean a dead key whatever the status: another key of the channel is tried as after 401. */
  readonly keyRefusalCodes?: readonly string[];
  /**
   * Whose fault a refusal is that has the status of another's, by codes of this vendor's own or by how its text begins,
   * where no caller speaks: a dead key, an account that cannot pay, a place that is not served. Pure.
   */
  readonly blames?: (refusal: Pick<WireError, 'message' | 'code'>) => 'auth' | 'quota' | 'server' | undefined;
  /** How many seconds the body of a refusal asks to wait, where no header does. Never throws. */
  readonly retryAfterOf?: (body: JsonObject) => number | undefined;
  /** Suggested models. */
  readonly models: readonly string[];
  /** Absent = where the OpenAI API has it. */
  readonly modelList?: ModelList;
  readonly balance?: BalanceCall;
  /** Why the channel test refuses this type. */
  readonly untestable?: string;
  /** Work that it does in the background. */
  readonly tasks?: TaskApi;
  /** Nothing of it answers at once: `paths` is empty. */
  readonly tasksOnly?: true;
}
