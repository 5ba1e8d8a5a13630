import type { UpstreamClient } from '../../platform/http/client.ts';
import type { UpstreamTask } from '../../providers/index.ts';
import type { RouteChannel } from '../../routing/index.ts';
import type { AskUpstream, PollAnswer, PollGroup } from '../../tasks/index.ts';
import { jsonOf } from '../exchange.ts';
import { askUpstream, type TaskUpstream, taskUpstream, withKeyOf } from './upstream.ts';

interface Parts {
  readonly upstream: Pick<UpstreamClient, 'send'>;
  /** A channel whatever its status: what runs there is followed to its end. Undefined = there is none. Rejects when it cannot be read. */
  readonly channel: (id: number) => Promise<RouteChannel | undefined>;
}

const maxAnswerBytes = 8 * 1024 * 1024;
const parallel = 4;
const shortestMs = 5_000;
const forgotten: UpstreamTask = { status: 'FAILURE', failReason: '上游没有该任务' };

/** Asks one upstream about some of its tasks, all with one request where it can. */
export function createAskUpstream(parts: Parts): AskUpstream {
  return async (group, timeoutMs) => {
    const channel = await parts.channel(group.channelId);
    const upstream = channel === undefined ? undefined : taskUpstream(withKeyOf(channel, group.keyId), group.platform);
    if (upstream === undefined) return { kind: 'gone' };
    return { kind: 'reports', reports: await reportsOf(parts, upstream, group, timeoutMs) };
  };
}

type Reports = Extract<PollAnswer, { kind: 'reports' }>['reports'];

async function reportsOf(parts: Parts, upstream: TaskUpstream, { tasks }: PollGroup, timeoutMs: number): Promise<Reports> {
  const ids = [...new Set(tasks.map(({ state }) => state.upstreamId))];
  const requests = upstream.api.polls(ids);
  const reports = new Map<string, UpstreamTask>();
  const failures: unknown[] = [];
  const rest = requests.entries();
  const rounds = Math.ceil(Math.max(1, requests.length) / parallel);
  const limits = { timeoutMs: Math.max(shortestMs, Math.floor(timeoutMs / rounds)), maxBytes: maxAnswerBytes };
  const lane = async () => {
    for (const [index, { method, path, body }] of rest) {
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      try {
        const answer = await askUpstream(parts.upstream, upstream, { method, path, body: bytes }, limits);
        const id = requests.length === ids.length ? ids[index] : undefined;
        if (answer === undefined) continue;
        if (answer.status === 200)
          for (const [name, task] of upstream.api.readPoll(jsonOf(answer, upstream.channel.key))) reports.set(name, task);
        else if (answer.status === upstream.api.forgottenStatus && id !== undefined) reports.set(id, forgotten);
        else failures.push(new Error(`An upstream answered a poll with status ${answer.status}`));
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, requests.length) }, lane));
  if (reports.size === 0 && failures.length > 0) throw failures[0];
  return reports;
}
