import { recentCache } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SystemClient } from '../../platform/http/system-client.ts';
import { SignFault, type SignTools, type Token } from '../sign.ts';

interface Parts {
  readonly clock: Clock;
  /** The guarded client. */
  readonly http: SystemClient;
}

const maxTokens = 2_000;
const exchangeMs = 10_000;
/** A token is replaced this long before it ends, so that no request carries one that dies on the way. */
const earlyMs = 60_000;

/** What signers share: traded tokens, kept until shortly before their end, and the exchange that trades for them. */
export function createSignTools({ clock, http }: Parts): SignTools {
  const tokens = recentCache<Token>(maxTokens);
  const making = new Map<string, Promise<Token>>();

  const fresh = (name: string, make: () => Promise<Token>): Promise<Token> => {
    const running = making.get(name);
    if (running !== undefined) return running;
    const started = make().finally(() => making.delete(name));
    making.set(name, started);
    return started;
  };

  return {
    get nowMs() {
      return clock.nowMs();
    },
    async token(name, make) {
      const known = tokens.get(name);
      if (known !== undefined && known.expiresAtMs - earlyMs > clock.nowMs()) return known.value;
      const token = await fresh(name, make);
      tokens.set(name, token);
      return token.value;
    },
    async post(url, headers, body, proxy) {
      try {
        const { status, text } = await http.request({ url, method: 'POST', headers, body, timeoutMs: exchangeMs, proxy });
        return { status, text };
      } catch {
        throw new SignFault('the service beside it cannot be reached', false);
      }
    },
  };
}

/** The same for a channel that goes out through a proxy. */
export function throughProxy(tools: SignTools, proxy: string | undefined): SignTools {
  if (proxy === undefined) return tools;
  return {
    get nowMs() {
      return tools.nowMs;
    },
    token: tools.token,
    post: (url, headers, body) => tools.post(url, headers, body, proxy),
  };
}
