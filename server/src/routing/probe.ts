import { parseObject } from '@tollgate/wire';
import { PublicError } from '../platform/errors.ts';
import type { SystemAnswer, SystemClient, SystemRequest } from '../platform/http/system-client.ts';
import { splitList } from '../platform/split-list.ts';
import { overrideHeaders } from './channel-headers.ts';
import { apiRoot, askUpstream, organizationOf, type ProviderFacts, readTarget, type TargetDeps } from './channel-target.ts';
import { type RouteChannel, upstreamModel } from './snapshot.ts';

export interface ProbeDeps extends TargetDeps {
  http: SystemClient;
  providerOf(type: number): ProviderFacts | undefined;
  dialects: readonly ProbeDialect[];
  /** The whole address of a path below a channel's address. */
  below: (base: string, path: string, fronted: ProviderFacts['fronted']) => string;
}

type Json = Readonly<Record<string, unknown>>;

/** One dialect, its cheapest harmless request, and what tells that the upstream speaks it (contract 4.14). */
export interface ProbeDialect {
  readonly name: string;
  readonly path: string;
  readonly body?: (model: string) => Json;
  readonly headers: (key: string) => Record<string, string>;
  readonly answers: (body: Json) => boolean;
  /** Absent: only a success counts. */
  readonly refuses?: (body: Json) => boolean;
}

const timeoutMs = 10_000;
const maxBytes = 4 * 1024 * 1024;

/** The dialects that a stored channel's upstream answers in. Throws PublicError with the transport's text when nothing answers. */
export function createUpstreamProbe(deps: ProbeDeps): (id: number) => Promise<string[]> {
  return async (id) => {
    const { row, channel } = await readTarget(deps, id);
    const facts = deps.providerOf(row.type);
    const base = apiRoot(row.base_url, facts);
    if (base === '') throw new PublicError('channel_balance_unknown');
    const model = row.test_model || (splitList(row.models)[0] ?? '');
    const sent = upstreamModel(channel.modelMapping, model) ?? model;
    const results = await Promise.allSettled(
      deps.dialects.map((dialect) => {
        const url = deps.below(base, dialect.path, facts?.fronted);
        return askUpstream(deps.http, requestFor(dialect, url, channel, sent, facts), [channel.key]);
      }),
    );
    const [first] = results;
    if (first?.status === 'rejected' && results.every(({ status }) => status === 'rejected')) throw first.reason;
    return deps.dialects.flatMap(({ name, ...dialect }, k) => {
      const result = results[k];
      return result?.status === 'fulfilled' && speaks(dialect, result.value) ? [name] : [];
    });
  };
}

/** With the organization as well: a key of several may be allowed in one of them alone. */
function requestFor(
  dialect: ProbeDialect,
  url: string,
  channel: RouteChannel,
  model: string,
  facts: Pick<ProviderFacts, 'organizationHeader'> | undefined,
): SystemRequest {
  const { key, headerOverride, setting } = channel;
  const body = dialect.body && JSON.stringify(dialect.body(model));
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const own = { 'accept-encoding': 'identity', ...dialect.headers(key), ...organizationOf(facts, channel), ...json };
  const headers = overrideHeaders(own, headerOverride, key);
  const common = { url, timeoutMs, maxBytes, headers, proxy: setting.proxy };
  return body === undefined ? common : { ...common, method: 'POST', body };
}

function speaks({ answers, refuses }: Omit<ProbeDialect, 'name'>, { status, text }: SystemAnswer): boolean {
  const body = parseObject(text);
  if (body === undefined) return false;
  if (status >= 200 && status < 300) return answers(body);
  return status >= 400 && status < 500 && status !== 404 && status !== 405 && refuses?.(body) === true;
}
