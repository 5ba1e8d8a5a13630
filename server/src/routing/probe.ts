import { PublicError } from '../platform/errors.ts';
import type { SystemAnswer, SystemClient, SystemRequest } from '../platform/http/system-client.ts';
import { splitList } from './channel-input.ts';
import { apiRoot, askUpstream, type ProviderFacts, readTarget, type TargetDeps } from './channel-target.ts';

export interface ProbeDeps extends TargetDeps {
  http: SystemClient;
  providerOf(type: number): ProviderFacts | undefined;
  dialects: readonly ProbeDialect[];
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
    const base = apiRoot(row.base_url, deps.providerOf(row.type));
    if (base === '') throw new PublicError('channel_balance_unknown');
    const model = row.test_model || (splitList(row.models)[0] ?? '');
    const sent = channel.modelMapping.get(model) ?? model;
    const results = await Promise.allSettled(
      deps.dialects.map((dialect) => askUpstream(deps.http, requestFor(dialect, base, channel.key, sent), [channel.key])),
    );
    const [first] = results;
    if (first?.status === 'rejected' && results.every(({ status }) => status === 'rejected')) throw first.reason;
    return deps.dialects.flatMap(({ name, ...dialect }, k) => {
      const result = results[k];
      return result?.status === 'fulfilled' && speaks(dialect, result.value) ? [name] : [];
    });
  };
}

function requestFor({ path, body, headers }: ProbeDialect, base: string, key: string, model: string): SystemRequest {
  const common = { url: base + path, timeoutMs, maxBytes, headers: { 'accept-encoding': 'identity', ...headers(key) } };
  if (body === undefined) return common;
  const json = { ...common.headers, 'content-type': 'application/json' };
  return { ...common, method: 'POST', headers: json, body: JSON.stringify(body(model)) };
}

function speaks({ answers, refuses }: Omit<ProbeDialect, 'name'>, { status, text }: SystemAnswer): boolean {
  const body = objectIn(text);
  if (body === undefined) return false;
  if (status >= 200 && status < 300) return answers(body);
  return status >= 400 && status < 500 && status !== 404 && status !== 405 && refuses?.(body) === true;
}

function objectIn(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}
