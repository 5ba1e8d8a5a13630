import { type Actor, recordAudit } from '../audit/index.ts';
import { costOf, type PriceSnapshot, type Usage } from '../billing/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { UpstreamFault } from '../platform/http/client.ts';
import type { SystemAnswer, SystemClient, SystemRequest } from '../platform/http/system-client.ts';
import { splitList } from '../platform/split-list.ts';
import { insertTestLog } from '../usage/index.ts';
import {
  type ChannelTarget,
  keyUsed,
  readTarget,
  redactSecrets,
  type TargetDeps,
  type UsedKey,
  unanswered,
} from './channel-target.ts';
import { classifyRefusal, type FailureEvidence } from './health-classes.ts';
import type { RouteChannel } from './snapshot.ts';

/** A request as the relay would send it, and how to read its answer. */
export interface TestCall {
  readonly request: SystemRequest;
  read(answer: SystemAnswer): TestReading;
}

export type TestReading =
  | { readonly kind: 'answer'; readonly usage: Usage | undefined }
  /** `status`: the one it came with, or that a 200 implies. */
  | { readonly kind: 'error'; readonly status: number; readonly code: string; readonly type: string; readonly message: string };

export interface TestDeps extends TargetDeps {
  clock: Clock;
  http: SystemClient;
  /** The price of a model in a group now; undefined without one. */
  price: (model: string, group: string) => PriceSnapshot | undefined;
  /** The relay's own request building. Throws PublicError for a type that cannot be tested. */
  testCall: (channel: RouteChannel, model: string) => Promise<TestCall>;
  timeoutMs: number;
}

/** What a test came to. `evidence`: what it says about the channel, undefined after a success or a fault of our own. */
export interface TestOutcome {
  readonly success: boolean;
  readonly message: string;
  /** Why nothing was asked or nothing answered, for whoever reads another language than English. */
  readonly fault: PublicError | undefined;
  readonly seconds: number;
  readonly evidence: FailureEvidence | undefined;
  /** The request left this node and was answered or failed out there: its time means something. */
  readonly reached: boolean;
  readonly key: UsedKey;
}

export interface ChannelTests {
  /**
   * Never throws for what the upstream does. Throws PublicError `channel_not_found`. `keyIndex`: with this one of several
   * credentials. `actor`: whose test it is, for the audit log.
   */
  test(
    id: number,
    options: { model?: string; keyIndex?: number | undefined; actor?: Actor; signal?: AbortSignal },
  ): Promise<TestOutcome>;
}

const lastResort = 'gpt-4o-mini';
/** Whose log shows tests. */
const rootId = 1;
const maxBytes = 4 * 1024 * 1024;

export function createChannelTests(deps: TestDeps): ChannelTests {
  return {
    async test(id, { model, keyIndex, actor, signal }) {
      const target = await readTarget(deps, id, keyIndex);
      const wanted = model || target.row.test_model || splitList(target.row.models)[0] || lastResort;
      const startedMs = deps.clock.monotonicMs();
      const seconds = () => (deps.clock.monotonicMs() - startedMs) / 1000;
      const { reading, reached, evidence, fault } = await perform(deps, target.channel, wanted, signal);
      const outcome: TestOutcome = {
        ...verdictOf(reading),
        seconds: seconds(),
        evidence,
        reached,
        fault,
        key: keyUsed(target.channel),
      };
      const usage = outcome.success && reading.kind === 'answer' ? reading.usage : undefined;
      if (reached) await store(deps, target, { model: wanted, seconds: outcome.seconds, usage, actor, success: outcome.success });
      return outcome;
    },
  };
}

interface Performed {
  reading: TestReading;
  reached: boolean;
  evidence: FailureEvidence | undefined;
  fault?: PublicError;
}

async function perform(deps: TestDeps, channel: RouteChannel, model: string, signal?: AbortSignal): Promise<Performed> {
  const secrets = channel.keys.map(({ secret }) => secret);
  const failed = (fault: PublicError, reached: boolean): Performed => {
    const message = redactSecrets(fault.message, secrets);
    return { reading: { kind: 'error', status: 0, code: '', type: '', message }, reached, evidence: undefined, fault };
  };
  try {
    const call = await deps.testCall(channel, model);
    const answer = await deps.http.request({ ...call.request, timeoutMs: deps.timeoutMs, maxBytes, signal });
    const reading = call.read(answer);
    if (reading.kind === 'answer') return { reading, reached: true, evidence: undefined };
    const shown = { ...reading, message: redactSecrets(reading.message, secrets) };
    const { status, code, type, message } = shown;
    const evidence = { class: classifyRefusal(status, code, type), status, code, type, message, coolMs: undefined };
    return { reading: shown, reached: true, evidence };
  } catch (error) {
    if (error instanceof PublicError) return failed(error, false);
    if (!(error instanceof UpstreamFault)) throw error;
    const ours = error.kind === 'local' || error.kind === 'refused' || signal?.aborted === true;
    return failed(unanswered(error, secrets), !ours);
  }
}

/** The contract's texts (4.8). */
function verdictOf(reading: TestReading): Pick<TestOutcome, 'success' | 'message'> {
  if (reading.kind === 'error') {
    return {
      success: false,
      message: reading.status === 0 ? reading.message : `status code ${reading.status}: ${reading.message}`,
    };
  }
  return reading.usage === undefined ? { success: false, message: 'usage is nil' } : { success: true, message: '' };
}

interface Stored {
  model: string;
  seconds: number;
  usage: Usage | undefined;
  actor: Actor | undefined;
  success: boolean;
}

async function store(deps: TestDeps, { row }: ChannelTarget, { model, seconds, usage, actor, success }: Stored): Promise<void> {
  const now = nowSeconds(deps.clock);
  // How soon a channel fails is no response time (decision 0138).
  const figures = { test_time: now, response_time_ms: success ? Math.max(1, Math.round(seconds * 1000)) : 0 };
  await deps.db.transaction(async (tx) => {
    await tx.query.updateTable('channel').set(figures).where('id', '=', row.id).execute();
    const root = await tx.query
      .selectFrom('users')
      .select(['username', 'group_name'])
      .where('id', '=', rootId)
      .executeTakeFirst();
    if (usage !== undefined && root !== undefined) {
      await insertTestLog(tx, {
        userId: rootId,
        username: root.username,
        channelId: row.id,
        model,
        group: root.group_name,
        promptTokens: usage.prompt,
        completionTokens: usage.completion,
        useTime: Math.round(seconds),
        wouldCost: wouldCost(deps.price(model, root.group_name), usage),
        now,
      });
    }
    const target = `channel:${row.id}`;
    if (actor !== undefined)
      await tx.perform(recordAudit({ actor, action: 'channel.test', target, detail: { model, success }, now }));
  });
}

function wouldCost(price: PriceSnapshot | undefined, usage: Usage): number {
  return price === undefined ? 0 : costOf(price, usage);
}
