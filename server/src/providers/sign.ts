import type { UpstreamCallFacts } from './call.ts';

/** A request that nobody vouches for yet. Header names are lower case. */
export interface Unsigned extends UpstreamCallFacts {
  readonly url: URL;
  /** Default POST. */
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What signing adds or replaces. */
export interface Signed {
  readonly url?: URL;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A credential that was traded for a channel's key. */
export interface Token {
  readonly value: string;
  readonly expiresAtMs: number;
}

/** What a signer may use beside the request. */
export interface SignTools {
  readonly nowMs: number;
  /**
   * The token known under this name, else the one that `make` brings; concurrent calls share one `make`, a failure is
   * not remembered. Names must hold a hash of the key, never the key.
   */
  token(name: string, make: () => Promise<Token>): Promise<string>;
  /** One guarded exchange of at most 10 s and 64 KiB. Rejects with SignFault. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    proxy?: string,
  ): Promise<{ status: number; text: string }>;
}

/** Throws or rejects with SignFault when the key is malformed or refused. Never logs, never puts a key into a message. */
export type Signer = (request: Unsigned, tools: SignTools) => Signed | Promise<Signed>;

/** Why a request could not be signed. `isKeyBad`: the channel's credential itself is at fault. */
export class SignFault extends Error {
  readonly isKeyBad: boolean;
  constructor(message: string, isKeyBad: boolean) {
    super(message);
    this.isKeyBad = isKeyBad;
  }
}
