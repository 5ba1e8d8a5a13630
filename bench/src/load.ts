import { openConnection } from './connection.ts';
import { createLatencies } from './latencies.ts';
import type { LoadOrder, LoadResult } from './load-types.ts';
import { readCpu } from './proc.ts';
import { expectedAnswer, question } from './traffic.ts';

const drainMs = 15_000;
/** Connections of a large crowd come in turn, as the queue of a listener is short. */
const comers = { atOnce: 50, everyMs: 50 } as const;

/** One run. */
async function run(order: LoadOrder): Promise<LoadResult> {
  const latencies = createLatencies();
  const firstBytes = createLatencies();
  const total = { totalAnswered: 0, totalErrors: 0, firstError: undefined as string | undefined };
  const seen = { answered: 0, chunks: 0, chunkReads: 0, longestGapMs: 0 };
  let measuring = false;
  const givenUp = Promise.withResolvers<void>();
  const crowd = openCrowd(order, {
    begun(latencyMs) {
      if (measuring) firstBytes.add(latencyMs);
    },
    answered(latencyMs) {
      total.totalAnswered += 1;
      if (!measuring) return;
      seen.answered += 1;
      latencies.add(latencyMs);
    },
    received(chunks, gapMs) {
      if (!measuring) return;
      seen.longestGapMs = Math.max(seen.longestGapMs, gapMs);
      seen.chunks += chunks;
      seen.chunkReads += 1;
    },
    failed(reason) {
      total.totalErrors += 1;
      total.firstError ??= reason;
      // A target that refuses everything would otherwise be called in a tight loop.
      if (total.totalErrors < order.connections) return;
      crowd.stop();
      givenUp.resolve();
    },
  });
  await pause(order.warmMs);
  const before = readAll(order);
  measuring = true;
  await Promise.race([pause(order.windowMs), givenUp.promise]);
  measuring = false;
  const after = readAll(order);
  crowd.stop();
  if (!(await crowd.ended(drainMs))) {
    total.totalErrors += 1;
    total.firstError ??= `answers did not end within ${drainMs} ms`;
  }
  return {
    seconds: (after.atMs - before.atMs) / 1000,
    ...seen,
    ...total,
    p50Ms: latencies.percentile(0.5),
    p99Ms: latencies.percentile(0.99),
    firstByteP50Ms: firstBytes.percentile(0.5),
    firstByteP99Ms: firstBytes.percentile(0.99),
    before: before.target,
    after: after.target,
    generatorSeconds: after.ownSeconds - before.ownSeconds,
    mockSeconds: after.mockSeconds - before.mockSeconds,
  };
}

type Observer = Pick<Parameters<typeof openConnection>[0], 'begun' | 'answered' | 'received' | 'failed'>;

/** All connections of a run; lost ones are replaced until `stop`. */
function openCrowd(order: LoadOrder, observer: Observer) {
  const requests = order.keys.map((key) => requestBytes(order, key));
  let asked = 0;
  const request = () => requests[asked++ % requests.length] as Buffer;
  const expected = { ...expectedAnswer(order.kind, order.withUsageFrame), isRespelt: order.isRespelt === true };
  const paceMs = order.ratePerSecond === 0 ? 0 : (1000 * order.connections) / order.ratePerSecond;
  let open = 0;
  let stopping = false;
  let allClosed: () => void = () => undefined;
  const connect = () => {
    open += 1;
    openConnection({ port: order.port, request, expected, mayAsk: () => !stopping, dueMs: pacer(paceMs), ...observer, closed });
  };
  const closed = () => {
    open -= 1;
    if (!stopping) connect();
    else if (open === 0) allClosed();
  };
  const come = () => {
    for (let index = 0; index < comers.atOnce && open < order.connections; index += 1) connect();
    if (open < order.connections && !stopping) setTimeout(come, comers.everyMs);
  };
  come();
  return {
    stop() {
      stopping = true;
    },
    /** False: some were still open after `timeoutMs`. */
    ended: (timeoutMs: number) =>
      new Promise<boolean>((resolve) => {
        if (open === 0) return resolve(true);
        setTimeout(() => resolve(false), timeoutMs);
        allClosed = () => resolve(true);
      }),
  };
}

/** Times that lie a pace apart, from a random one on; always now without a pace. */
function pacer(paceMs: number): () => number {
  if (paceMs === 0) return () => performance.now();
  let nextMs = performance.now() + Math.random() * paceMs;
  return () => {
    const dueMs = nextMs;
    nextMs += paceMs;
    return dueMs;
  };
}

function readAll({ watchPid, watchCore, mockPid }: LoadOrder) {
  const own = process.cpuUsage();
  return {
    ownSeconds: (own.user + own.system) / 1e6,
    mockSeconds: readCpu(mockPid, watchCore).processSeconds,
    target: readCpu(watchPid, watchCore),
    atMs: performance.now(),
  };
}

function requestBytes({ port, kind }: LoadOrder, key: string): Buffer {
  const { path, headers, body } = question(kind);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Accept: application/json',
    'User-Agent: tollgate-bench',
    ...headers,
    `Content-Length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

// The load generator's process: runs at once, ordered by its argument, reported as JSON on its output. It ends with whoever ordered them.
process.stdin.once('end', () => process.exit(1)).resume();
const orders = JSON.parse(process.argv[2] ?? '') as LoadOrder[];
process.stdout.write(JSON.stringify(await Promise.all(orders.map(run))), () => process.exit(0));
