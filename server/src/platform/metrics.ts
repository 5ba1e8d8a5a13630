import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { listening } from './listening.ts';

/** A port of its own with the figures of this process in Prometheus' text format (contract 16.1). */
export interface MetricsPort {
  readonly registry: Registry;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `GET /metrics` and nothing else. Rejects when the port is taken. */
export async function openMetricsPort(port: number, host: string): Promise<MetricsPort> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Who asks once a minute keeps the connection.
  const limits = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 65_000, maxHeaderSize: 8_192 };
  const server = createServer(limits, (request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = 64;
  await listening(server, { port, host }, 'METRICS_PORT');
  return {
    registry,
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const maxValues = 2_000;

/** Bounds the values of a label: the ones that come after too many others are `other`. */
export function boundedLabel(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= maxValues) return 'other';
    known.add(value);
    return value;
  };
}
