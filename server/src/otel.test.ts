import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const file = fileURLToPath(new URL('otel.ts', import.meta.url));
const startWith = (env: Record<string, string>) => {
  const { status, stderr } = spawnSync(process.execPath, ['--import', file, '-e', ''], { env, encoding: 'utf8' });
  return [status, stderr];
};

test('settings by which no call would be traced, or every one, are told at the start', () => {
  const wrong = {
    OTEL_TRACES_SAMPLER_ARG: '1%',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  };
  expect(startWith(wrong)).toEqual([
    2,
    [
      'Wrong environment:',
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
