import * as z from 'zod/mini';
import { countedPage, id, rowId } from './fields.ts';
import { data, defineRoute, type PageOf } from './route.ts';

/** One step of a plan; `order` counts from 1. */
export interface RoutePlanStep {
  channel_id: number;
  key_index: number;
  priority: number;
  weight: number;
  order: number;
  /** Whose price applies when this one answers. */
  group: string;
}

/** Why a channel is not asked. */
export type RouteOutReason = 'disabled' | 'auto_disabled' | 'excluded' | 'breaker_open' | 'unusable';

export interface RouteCandidate {
  channel_id: number;
  name: string;
  group: string;
  in: boolean;
  /** "" for a channel that is in. */
  reason: RouteOutReason | '';
  /** Within a priority the smallest `score` comes first: score = -ln(draw) / weight. */
  score: { priority: number; weight: number; draw: number; score: number };
}

/** Who is asked when no ordinary channel answers, for tokens that want it (contract 5.7). */
export interface RouteBackup {
  /** What the call costs then, times. */
  ratio: number;
  channels: RouteCandidate[];
}

/** POST /api/route/explain (contract 16.1). `plan` is the order of attempts when each fails. */
export interface RouteExplanation {
  plan: RoutePlanStep[];
  candidates: RouteCandidate[];
  /** Candidates beyond those listed. */
  more_candidates: number;
  /** Absent: there is no pool for the call, or (in a record) the call did not come to it. */
  backup?: RouteBackup;
  group: string;
  model: string;
  seed: number;
}

export interface RouteAttempt {
  channel_id: number;
  key_index: number;
  /** The upstream's own status, 0 when it gave none. */
  status: number;
  /** "" when it answered. */
  error: string;
  /** From the arrival of the call; -1 in older records. */
  start_ms: number;
  ms: number;
  /** To the head of the answer; -1 when none came. */
  ttfb_ms: number;
  upstream_request_id: string;
}

/** GET /api/log/:id/route: what was decided for a real call, and what came of it. */
export interface RouteRecord extends RouteExplanation {
  attempts: RouteAttempt[];
  /**
   * The conversation's own channel did not answer, another one did: why it was passed over (a `RouteOutReason`), or the error
   * of its attempt. Absent = it answered, or affinity was off.
   */
  strayed?: { channel_id: number; reason: string };
  /** The change that the configuration of the call was compiled from. */
  version: number;
}

/** One line of a channel's timeline, newest first. */
export interface ChannelTimelineEntry {
  id: number;
  created_at: number;
  kind:
    | 'enabled'
    | 'disabled'
    | 'auto_enabled'
    | 'auto_disabled'
    | 'key_enabled'
    | 'key_disabled'
    | 'breaker_open'
    | 'breaker_closed';
  /** A user name, or `system`. */
  actor: string;
  reason: string;
  model: string;
  /** -1 = the whole channel. */
  key_index: number;
  /** JSON text. */
  evidence: string;
}

/** What is known about a channel at this moment, on the node that answers. */
export interface ChannelHealth {
  keys: { index: number; hint: string; enabled: boolean; reason: string; changed_at: number }[];
  breakers: {
    key_index: number;
    /** "" = whatever the model. */
    model: string;
    phase: 'closed' | 'open' | 'half-open';
    ok: number;
    bad: number;
    rest_ms: number;
    last_class: string;
  }[];
}

const ids = z.array(rowId).check(z.maxLength(1000));
export const explainBody = z.object({
  group: z._default(z.string().check(z.trim(), z.maxLength(64)), ''),
  model: z.string().check(z.trim(), z.minLength(1), z.maxLength(255)),
  token_id: z.optional(id),
  user_id: z.optional(id),
  /** Prompt tokens. */
  size: z.optional(z.number().check(z.int(), z.minimum(0))),
  exclude: z._default(ids, []),
  /** Repeats a draw; without it a fresh one. */
  seed: z.optional(z.number().check(z.int(), z.minimum(0), z.maximum(4_294_967_295))),
});
export type ExplainInput = z.infer<typeof explainBody>;

const keySwitch = z.object({
  key_index: z.number().check(z.int(), z.minimum(0), z.maximum(100_000)),
  enabled: z.boolean(),
  /** What the editor saw at that index: another key is left alone. */
  hint: z.optional(z.string().check(z.maxLength(64))),
});
export type KeySwitch = z.infer<typeof keySwitch>;
const timelineQuery = z.object(countedPage);

export const routeRoutes = {
  explain: defineRoute({
    method: 'POST',
    path: '/api/route/explain',
    access: 'admin',
    body: explainBody,
    data: data<RouteExplanation>(),
  }),
  record: defineRoute({ method: 'GET', path: '/api/log/:id/route', access: 'admin', data: data<RouteRecord>() }),
  timeline: defineRoute({
    method: 'GET',
    path: '/api/channel/:id/timeline',
    access: 'admin',
    query: timelineQuery,
    data: data<PageOf<ChannelTimelineEntry>>(),
  }),
  health: defineRoute({ method: 'GET', path: '/api/channel/:id/health', access: 'admin', data: data<ChannelHealth>() }),
  /** Switches one credential of a channel on or off. */
  switchKey: defineRoute({
    method: 'PUT',
    path: '/api/channel/:id/key',
    access: 'admin',
    body: keySwitch,
    data: data<ChannelHealth>(),
  }),
} as const;
