import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type ForgottenCall, unprovenSince } from './billing/index.ts';
import type { Beat, JobRunner } from './jobs/runner.ts';
import { nowSeconds, systemClock } from './platform/clock.ts';
import { boundedLabel, openMetricsPort } from './platform/metrics.ts';
import type { SettledCall } from './relay/index.ts';
import type { Database } from './storage/database.ts';
import { countRows } from './storage/page.ts';
import { promptly } from './storage/prompt.ts';
import type { ErrorEntry } from './usage/index.ts';

/** What a look at the metrics asks for. */
export interface Gauges {
  readonly openCalls: () => number;
  readonly outbox: () => number;
  readonly behindMs: () => number;
  /** For the holds, which all nodes share. */
  readonly db: Pick<Database, 'read'>;
  readonly openBreakers: () => number;
  readonly beats: JobRunner['beats'];
}

/** What is told of calls as they end. */
export interface Meters {
  readonly settled: (call: SettledCall) => void;
  readonly failed: (entry: Pick<ErrorEntry, 'code' | 'status'>) => void;
  readonly forgotten: (call: ForgottenCall) => void;
}

const maxCode = 100;
const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Counts calls from now on and serves the figures on a port, 0 = any free one. Rejects when it is taken. */
export async function createMetrics(wantedPort: number, host: string) {
  const { registry, port, close } = await openMetricsPort(wantedPort, host);
  return {
    meters: callMeters(registry),
    watch: (gauges: Gauges) => watchGauges(registry, gauges),
    /** Which one it got. */
    port,
    close,
  };
}

function callMeters(registry: Registry): Meters {
  const registers = [registry];
  const modelOf = boundedLabel();
  const channelOf = boundedLabel();
  // Upstreams choose some of them.
  const codeOf = boundedLabel();
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `tollgate_${name}`, help, labelNames, registers });
  const duration = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Histogram({ name: `tollgate_${name}_seconds`, help, labelNames, registers, buckets: seconds });
  const calls = counter('calls_total', 'Calls that were charged', ['channel', 'streamed']);
  const tokens = counter('tokens_total', 'Tokens of charged calls', ['model', 'kind']);
  const quota = counter('quota_total', 'Cost of charged calls in quota units', ['model']);
  // Once for each: a function made for each call is compiled again behind every collection.
  const byStream = (histogram: Histogram<'streamed'>) => {
    const [streamed, whole] = [histogram.labels({ streamed: 'true' }), histogram.labels({ streamed: 'false' })];
    return (isStream: boolean) => (isStream ? streamed : whole);
  };
  const lengths = byStream(duration('call_duration', 'From the arrival of a charged call to its end', ['streamed']));
  const firstBytes = byStream(duration('first_byte', 'From the arrival of a charged call to its first byte', ['streamed']));
  const errors = counter('errors_total', 'Calls that were refused or failed, as the caller was told', ['code', 'status']);
  const forgotten = counter('forgotten_calls_total', 'Calls that the database forgot while they ran', ['charged']);
  // From the start, so that an alert sees the first one as an increase.
  for (const charged of ['true', 'false']) forgotten.inc({ charged }, 0);
  return {
    settled({ channelId, model, isStream, cost, prompt, completion, cached, durationMs, firstByteMs }) {
      const streamed = String(isStream);
      const name = modelOf(model);
      calls.inc({ channel: channelOf(String(channelId)), streamed });
      tokens.inc({ model: name, kind: 'prompt' }, prompt);
      tokens.inc({ model: name, kind: 'completion' }, completion);
      tokens.inc({ model: name, kind: 'cached' }, cached);
      quota.inc({ model: name }, cost);
      lengths(isStream).observe(durationMs / 1000);
      if (firstByteMs !== undefined) firstBytes(isStream).observe(firstByteMs / 1000);
    },
    failed: ({ code, status }) => errors.inc({ code: codeOf(code.slice(0, maxCode)), status: String(status) }),
    forgotten: ({ isCharged }) => forgotten.inc({ charged: String(isCharged) }),
  };
}

const ageOf = (since: number | undefined): number => (since === undefined ? 0 : Math.max(0, nowSeconds(systemClock) - since));

function watchGauges(registry: Registry, { openCalls, outbox, behindMs, db, openBreakers, beats }: Gauges): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name: `tollgate_${name}`,
      help,
      registers: [registry],
      async collect() {
        // A database that does not answer leaves out the figure, not the page, which Prometheus awaits for ten seconds.
        try {
          this.set(await promptly(Promise.resolve(read())));
        } catch {
          this.remove();
        }
      },
    });
  gauge('open_calls', 'Calls under way in this process', openCalls);
  gauge('outbox_charges', 'Charges that wait for the database', outbox);
  gauge('changes_behind_seconds', 'For how long changes may have waited for this process', () => behindMs() / 1000);
  const holds = (ofTasks: boolean) => countRows(db.read.selectFrom('hold').where('keeper', ofTasks ? '=' : '<>', 'task'));
  gauge('holds', 'Open holds of calls, of all nodes', () => holds(false));
  gauge('task_holds', 'Open holds of tasks, of all nodes', () => holds(true));
  gauge(
    'unproven_receipts_age_seconds',
    'Age of the first row of the log up to which receipts were not recomputed yet; 0 = none',
    async () => ageOf(await unprovenSince(db)),
  );
  gauge('open_breakers', 'Breakers of this process that keep calls away from a channel', openBreakers);
  const ofJobs = (name: string, help: string, read: (beat: Beat) => number) =>
    new Gauge({
      ...{ name: `tollgate_job_${name}_seconds`, help, labelNames: ['name'], registers: [registry] },
      collect() {
        for (const beat of beats()) this.set({ name: beat.name }, read(beat));
      },
    });
  ofJobs('last_turn_timestamp', 'When a job of this process last ended a turn well', ({ endedAt }) => endedAt);
  ofJobs('period', 'How often a job of this process has a turn at the latest', ({ everySeconds }) => everySeconds);
}
