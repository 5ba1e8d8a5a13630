import { subscribe } from 'node:diagnostics_channel';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, hostDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { createLog, type Log } from './platform/log.ts';
import type { TracedCall, TracedSpan, TraceEnd } from './platform/trace.ts';

/**
 * Traces over OTLP/HTTP, for `node --import .../otel.js`: one span per call, below it one per stage and attempt. It is
 * set up by the usual OTEL_... variables. Without this module a call is not traced and pays nothing for it.
 */
const endTimeoutMs = 3_000;
const exportTimeoutMs = 5_000;

/** The library goes on without a word, and without a trace. */
const forms: Readonly<Record<string, readonly [RegExp, string]>> = {
  OTEL_TRACES_SAMPLER: [
    /^(parentbased_)?(always_on|always_off|traceidratio)$/,
    'must be always_on, always_off or traceidratio, or one of them behind parentbased_',
  ],
  OTEL_TRACES_SAMPLER_ARG: [/^(0?\.\d+|0|1|1\.0+)$/, 'must be a number from 0 to 1, the share of calls that are traced'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [/^https?:\/\/./, 'must start with http:// or https://'],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: [/^https?:\/\/./, 'must start with http:// or https://'],
  OTEL_EXPORTER_OTLP_PROTOCOL: [/^http\//, 'must be http/json: the port of a collector for HTTP is 4318'],
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: [/^http\//, 'must be http/json: the port of a collector for HTTP is 4318'],
};
const settings = Object.fromEntries(Object.keys(forms).map((name) => [name, process.env[name]?.trim() || undefined]));
const faults = Object.entries(forms)
  .filter(([name, [form]]) => !form.test(settings[name] ?? '') && settings[name] !== undefined)
  .map(([name, [, fault]]) => `\n  ${name}: ${fault}`);
if (faults.length > 0) {
  process.stderr.write(`Wrong environment:${faults.join('')}\n`);
  process.exit(2);
}

const detected = detectResources({ detectors: [envDetector, hostDetector] });
const named = resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME || 'tollgate' });
const exporter = new OTLPTraceExporter({ timeoutMillis: exportTimeoutMs });
/** Of the calls whose caller does not say whether it traces, this share is; without `parentbased_` of all. */
const sampler = settings.OTEL_TRACES_SAMPLER ?? 'parentbased_traceidratio';
const shares: Readonly<Record<string, number>> = {
  always_on: 1,
  always_off: 0,
  traceidratio: Number(settings.OTEL_TRACES_SAMPLER_ARG ?? '1'),
};
const byShare = new TraceIdRatioBasedSampler(shares[sampler.replace('parentbased_', '')]);
const provider = new TracerProvider({
  sampler: sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root: byShare }) : byShare,
  resource: defaultResource().merge(detected).merge(named),
  spanProcessors: [new BatchSpanProcessor({ exporter: told(exporter), scheduledDelayMillis: 1_000, maxQueueSize: 8_192 })],
});
const tracer = provider.getTracer('tollgate');
const propagator = new W3CTraceContextPropagator();

subscribe('tollgate:call', (message) => record(tracer, message as TracedCall));
subscribe('tollgate:end', (message) => {
  const late = new Promise((resolve) => setTimeout(resolve, endTimeoutMs).unref());
  (message as TraceEnd).waits.push(Promise.race([provider.forceFlush(), late]));
});

/** The library drops what nobody takes, and says nothing. */
function told(exporter: SpanExporter): SpanExporter {
  let isFailing = false;
  // Made when the level has been looked at, among the rest of the environment.
  let log: Log | undefined;
  const hear = ({ code, error }: ExportResult) => {
    if ((code === ExportResultCode.FAILED) === isFailing) return;
    isFailing = !isFailing;
    log ??= createLog(process.env.LOG_LEVEL || 'info');
    const { code: fault = '', message = '' } = (error ?? {}) as { code?: unknown; message?: string };
    if (isFailing)
      log.warn({ reason: `${fault} ${message}`.trim() }, 'traces are lost: see that the collector runs and takes them');
    else log.info('the collector takes traces again');
  };
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        hear(result);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function record(on: Tracer, call: TracedCall): void {
  const carrier = { traceparent: call.traceparent ?? '', tracestate: call.tracestate ?? '' };
  const above = propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
  const context = store(on, call, SpanKind.SERVER, above);
  for (const span of call.spans) store(on, span, span.name === 'attempt' ? SpanKind.CLIENT : SpanKind.INTERNAL, context);
}

/** Returns the context of what lies below it. */
function store(on: Tracer, { name, startMs, endMs, attributes, error }: TracedSpan, kind: SpanKind, above: Context): Context {
  const span = on.startSpan(name, { kind, startTime: performance.timeOrigin + startMs, attributes: { ...attributes } }, above);
  if (error !== '') span.setStatus({ code: SpanStatusCode.ERROR, message: error });
  span.end(performance.timeOrigin + endMs);
  return trace.setSpan(above, span);
}
