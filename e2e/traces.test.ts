import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { eventually } from './support/wait.ts';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

const module = fileURLToPath(new URL('../server/dist/otel.js', import.meta.url));
const callerTrace = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';

/** What a collector is sent over OTLP/HTTP. */
async function startCollector() {
  const spans: SentSpan[] = [];
  let text = '';
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    text += body;
    const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] };
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, text: () => text, close: () => new Promise((resolve) => server.close(resolve)) };
}

test('a collector gets one span per call, under the caller’s own, with one per stage and attempt, and not a word that was said', async () => {
  const collector = await startCollector();
  onTestFinished(async () => void (await collector.close()));
  const upstream = await ofTest(startMockUpstream());
  const gateway = await startGateway({
    NODE_OPTIONS: `--import=${module}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'gateway-1',
  });
  onTestFinished(() => gateway.stop());
  const root = await gateway.root();
  await root.addChannel({ base_url: `${upstream.url}/bad`, models: 'gpt-4o-mini', priority: 9 });
  await root.addChannel({ base_url: `${upstream.url}/good`, models: 'gpt-4o-mini' });
  const { key } = await root.addToken();
  upstream.script(({ path }) => (path.startsWith('/bad') ? { status: 503 } : undefined));
  const ask = (traceparent: string, model = 'gpt-4o-mini') =>
    fetch(`${gateway.url}/v1/chat/completions?secret=in-the-query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'a planted prompt' }] }),
    }).then((answer) => answer.text());
  const begun = Date.now();
  expect(await ask(`00-${callerTrace}-${callerSpan}-01`)).toContain('[DONE]');
  await ask('not a trace', 'no-such-model');
  const ofCaller = () => collector.spans.filter(({ traceId }) => traceId === callerTrace);
  await eventually(() => expect(ofCaller()).toHaveLength(8));

  const call = ofCaller().find(({ parentSpanId }) => parentSpanId === callerSpan);
  expect(call).toMatchObject({ name: 'POST /v1/chat/completions' });
  const below = ofCaller().filter(({ parentSpanId }) => parentSpanId === call?.spanId);
  expect(below.map(({ name }) => name).sort()).toEqual(
    ['admit', 'attempt', 'attempt', 'authenticate', 'inbound', 'respond', 'settle'].sort(),
  );
  const attempts = below.filter(({ name }) => name === 'attempt');
  expect(attempts.map(({ status }) => status.code === 2)).toEqual([true, false]);
  const numbers = attempts.map(({ attributes }) => attributes.find(({ key }) => key === 'tollgate.channel')?.value.intValue);
  expect(numbers).toEqual([1, 2]);
  for (const { startTimeUnixNano, endTimeUnixNano } of ofCaller()) {
    const [startMs, endMs] = [Number(startTimeUnixNano) / 1e6, Number(endTimeUnixNano) / 1e6];
    expect(startMs).toBeGreaterThan(begun - 1_000);
    expect(endMs).toBeGreaterThanOrEqual(startMs);
    expect(endMs).toBeLessThan(Date.now() + 1_000);
  }
  // What waits to be sent is sent before the end.
  expect(await ask('')).toContain('[DONE]');
  await gateway.end();
  const calls = collector.spans.filter(({ name }) => name === call?.name);
  expect(calls).toHaveLength(3);
  const refused = calls.filter(({ status }) => status.code === 2);
  expect(refused.map(({ status }) => status.message)).toEqual(['http_503']);
  expect(new Set(calls.map(({ traceId }) => traceId)).size).toBe(3);
  expect(collector.text()).toContain('gateway-1');
  for (const secret of ['a planted prompt', 'in-the-query', key, 'upstream-key-0001'])
    expect(collector.text()).not.toContain(secret);
  for (const { headers } of upstream.requests()) expect(headers.traceparent).toBeUndefined();
});
