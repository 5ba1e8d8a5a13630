import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const file = fileURLToPath(new URL('otel.ts', import.meta.url));
const startWith = (env: Record<string, string>) => {
  const { status, stderr } = spawnSync(process.execPath, ['--import', file, '-e', ''], { env, encoding: 'utf8' });
  return [status, stderr];
};

test('settings by which no call would be traced, or every one, are told at the start', () => {
  const wrong = {
    OTEL_TRACES_SAMPLER: 'xray',
    OTEL_TRACES_SAMPLER_ARG: '1%',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  };
  expect(startWith(wrong)).toEqual([
    2,
    [
      'Wrong environment:',
      '  OTEL_TRACES_SAMPLER: must be always_on, always_off or traceidratio, or one of them behind parentbased_',
      '  OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1, the share of calls that are traced',
      '  OTEL_EXPORTER_OTLP_ENDPOINT: must start with http:// or https://',
      '  OTEL_EXPORTER_OTLP_PROTOCOL: must be http/json: the port of a collector for HTTP is 4318',
      '',
    ].join('\n'),
  ]);
  expect(startWith({ OTEL_TRACES_SAMPLER_ARG: '5' })[0]).toBe(2);
  expect(startWith({ OTEL_TRACES_SAMPLER_ARG: '0.01', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' })).toEqual([0, '']);
  expect(startWith({ OTEL_TRACES_SAMPLER_ARG: '', OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toEqual([0, '']);
});

/** Answers with a status; counts what it is sent. */
async function startCollector(status: () => number) {
  let sent = 0;
  const server = createServer((request, response) => {
    sent += 1;
    request.resume();
    response.writeHead(status(), { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent: () => sent };
}

const tell = `const { channel } = require('node:diagnostics_channel');
const call = { name: 'a call', startMs: 0, endMs: 1, attributes: {}, error: '', spans: [], traceparent: process.env.ABOVE };
const tell = () => channel('tollgate:call').publish(call);`;
/** A process that tells of a call, or of one after the other. */
const run = (program: string, env: Record<string, string>) => {
  const child = spawn(process.execPath, ['--import', file, '-e', `${tell} ${program}`], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

test('the sampler and its share decide which calls are traced, and whether the caller has a say', async () => {
  const collector = await startCollector(() => 200);
  const traced = async (env: Record<string, string>, above = '') => {
    const before = collector.sent();
    const once =
      "tell(); const end = { waits: [] }; channel('tollgate:end').publish(end); Promise.allSettled(end.waits).then(() => process.exit());";
    await text(run(once, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ABOVE: above, ...env }).stdout);
    return collector.sent() - before;
  };
  const [kept, dropped] = ['01', '00'].map((flags) => `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`);
  expect([
    await traced({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }),
    await traced({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, kept),
    await traced({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, kept),
    await traced({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: '0' }, dropped),
  ]).toEqual([0, 1, 0, 1]);
});

test('a collector that takes nothing is told once, and once that it takes traces again', async () => {
  let status = 401;
  const collector = await startCollector(() => status);
  const child = run('setInterval(tell, 50);', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const lines = () =>
    said
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { level: number; reason?: string });
  // Two refusals in turn are told once.
  await expect.poll(collector.sent, { timeout: 20_000 }).toBeGreaterThan(1);
  status = 200;
  await expect.poll(lines, { timeout: 20_000 }).toHaveLength(2);
  expect(lines()).toEqual([
    expect.objectContaining({ level: 40, reason: '401 Unauthorized' }),
    expect.objectContaining({ level: 30 }),
  ]);
});
