/** A chat dialect an upstream can be spoken to in: the name of one of wire's dialects. */
export type ChatProtocol =
  | 'openai-chat'
  | 'openai-responses'
  | 'responses-compact'
  | 'decisions'
  | 'anthropic-messages'
  | 'gemini-generate'
  | 'openai-completions'
  | (string & {});

/** What is asked for beside chat. The canonical shape is that of the OpenAI API. */
export type Family =
  | 'embeddings'
  | 'rerank'
  | 'moderations'
  | 'images'
  | 'image-edits'
  | 'image-variations'
  | 'speech'
  | 'transcriptions'
  | 'translations'
  | 'realtime';

export type Protocol = ChatProtocol | Family;

/** What of a request may decide in which dialect a model is asked. */
export interface Wants {
  /** It brings functions to be called. */
  readonly tools: boolean;
  /** It asks for thoughts, or for none; undefined = it leaves that to the model. */
  readonly thoughts: boolean | undefined;
}

/** What a record may know of the channel it serves. `key` is the credential of this attempt. */
export interface ChannelFacts {
  readonly id: number;
  /** "" = the provider's own address. */
  readonly baseUrl: string;
  readonly key: string;
  readonly organization: string;
  /** The type's special field (contract 4.3). */
  readonly other: string;
}

/** One call as far as an address or a body may depend on it. `model` is the upstream's name for it. */
export interface UpstreamCallFacts {
  readonly channel: ChannelFacts;
  readonly model: string;
  readonly stream: boolean;
  readonly protocol: Protocol;
  /** What the caller spoke; another than `protocol` when the request was brought from there. */
  readonly spoken?: Protocol;
  /** The answer must not be allowed more tokens: nobody could pay for them. */
  readonly capLimit?: number;
  /** The caller's own query, for the few dialects where it matters. */
  readonly query?: URLSearchParams;
  /** The caller's own header of that lower-case name, for versions and betas that belong to a dialect. */
  header?(name: string): string | undefined;
  /** The operator's setting of that name, parsed. */
  option?(name: string): unknown;
}

/** A form with a file, as image edits and transcriptions send it. */
export interface Upload {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { readonly bytes: Buffer; readonly name: string; readonly mediaType: string };
}
