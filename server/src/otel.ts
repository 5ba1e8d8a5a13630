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
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, hostDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TracedCall, TracedSpan, TraceEnd } from './platform/trace.ts';

/**
 * Traces over OTLP/HTTP, for `node --import .../otel.js`: one span per call, below it one per stage and attempt. It is
 * set up by the usual OTEL_... variables. Without this module a call is not traced and pays nothing for it.
 */
const endTimeoutMs = 3_000;
const exportTimeoutMs = 5_000;

const detected = detectResources({ detectors: [envDetector, hostDetector] });
const named = resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME ?? 'tollgate' });
const exporter = new OTLPTraceExporter({ timeoutMillis: exportTimeoutMs });
/** Of the calls whose caller does not say whether it traces, this share is. */
const share = Number(process.env.OTEL_TRACES_SAMPLER_ARG ?? '1');
const provider = new TracerProvider({
  sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
  resource: defaultResource().merge(detected).merge(named),
  spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000, maxQueueSize: 8_192 })],
});
const tracer = provider.getTracer('tollgate');
const propagator = new W3CTraceContextPropagator();

subscribe('tollgate:call', (message) => record(tracer, message as TracedCall));
subscribe('tollgate:end', (message) => {
  const late = new Promise((resolve) => setTimeout(resolve, endTimeoutMs).unref());
  (message as TraceEnd).waits.push(Promise.race([provider.forceFlush(), late]));
});

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
