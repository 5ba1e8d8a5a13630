import { expect, test } from 'vitest';
import { EnvironmentError, readEnv } from './env.ts';

function faultsOf(source: Record<string, string>): readonly string[] {
  try {
    readEnv(source);
    return [];
  } catch (error) {
    if (error instanceof EnvironmentError) return error.faults;
    throw error;
  }
}

test('an empty environment starts the embedded default', () => {
  const env = readEnv({});
  expect(env).toMatchObject({
    PORT: 3000,
    DATA_DIR: './data',
    HOLD_LEASE_SECONDS: 120,
    SQLITE_SYNCHRONOUS: 'FULL',
    RATE_LIMIT_FACTOR: 1,
  });
  expect(env.DATABASE_URL).toBeUndefined();
});

test('every wrong value is one readable line', () => {
  const faults = faultsOf({ PORT: 'abc', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://x', HOLD_LEASE_SECONDS: '0' });
  expect(faults).toHaveLength(4);
  expect(faults.join('\n')).toContain('LOG_LEVEL: must be one of fatal');
});

test('an address that cannot be read is told as such, one by a socket is none', () => {
  const told = (name: string, value: string) => faultsOf({ SECRET_KEY: 'ab'.repeat(32), [name]: value });
  for (const [name, value] of [
    ['DATABASE_URL', 'postgres://user:pass/word@host/db'],
    ['REDIS_URL', 'redis://:pass@host:port'],
  ] as const)
    expect(told(name, value)).toEqual([expect.stringMatching(`^${name}: cannot be read: .*%2F`)]);
  for (const value of ['postgres://user@/db?host=/run/postgresql', 'postgres:///db', 'postgres://user:pass%2Fword@host/db'])
    expect(told('DATABASE_URL', value)).toEqual([]);
});

test('an address names one host', () => {
  const told = (name: string, value: string) => faultsOf({ SECRET_KEY: 'ab'.repeat(32), [name]: value });
  for (const [name, value] of [
    ['DATABASE_URL', 'postgres://user:pass@one:5432,two:5432/db?target_session_attrs=read-write'],
    ['DATABASE_URL', 'postgres://user:pass@one,two/db'],
    ['DATABASE_URL', 'postgres://user@/db?host=one,two'],
    ['REDIS_URL', 'redis://one:26379,two:26379'],
  ] as const)
    expect(told(name, value)).toEqual([expect.stringMatching(`^${name}: must name one host, .*after a fail-over`)]);
  expect(told('DATABASE_URL', 'postgres://user:a,b@one/db?options=-c%20search_path%3Da,b')).toEqual([]);
});

test('what follows the host of Redis is the number of a database', () => {
  const told = (path: string) => faultsOf({ REDIS_URL: `redis://:pass@host:6379${path}` });
  for (const path of ['/abc', '/1x', '/1/2', '//'])
    expect(told(path)).toEqual([expect.stringMatching(/^REDIS_URL: must end with .* \/ and the number of a database /)]);
  for (const path of ['', '/', '/0', '/15', '/3?family=6']) expect(told(path)).toEqual([]);
});

test('there is a port for the figures of each worker', () => {
  const told = (METRICS_PORT: string) => faultsOf({ METRICS_PORT, WORKERS: '3' });
  expect([told('65533'), told('65534')]).toEqual([[], [expect.stringContaining('would be 65536')]]);
});

test('figures and calls cannot share a port, of no worker either', () => {
  const told = (METRICS_PORT: string, WORKERS = '1') => faultsOf({ PORT: '9466', METRICS_PORT, WORKERS });
  expect([told('9466'), told('9464', '3')].map(([fault]) => fault)).toEqual(
    Array(2).fill(expect.stringContaining('PORT (9466)')),
  );
  expect([told('9467', '3'), told('9464', '2'), faultsOf({ PORT: '0', METRICS_PORT: '9464' })]).toEqual([[], [], []]);
});

test.each([
  ['TRUSTED_PROXIES', 'nginx'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', '10.0.0.1/'],
  ['TRUSTED_PROXIES', '::ffff:10.0.0.0/104'],
  ['TRUSTED_PROXIES', '10'],
  ['ALLOW_PRIVATE_UPSTREAMS', '10.0.0.0/33'],
  ['ALLOW_PRIVATE_UPSTREAMS', '10.0.0.5'],
  ['ALLOW_PRIVATE_UPSTREAMS', '::1:11434'],
  ['ALLOW_PRIVATE_UPSTREAMS', 'ollama'],
  ['ALLOW_PRIVATE_UPSTREAMS', 'ollama:0'],
  ['ALLOW_PRIVATE_UPSTREAMS', 'ollama:70000'],
  ['ALLOW_PRIVATE_UPSTREAMS', '*.internal:80'],
  ['ALLOW_PRIVATE_UPSTREAMS', 'http://ollama:80'],
  ['EGRESS_REWRITE', 'api.stripe.com'],
  ['EGRESS_REWRITE', 'api.stripe.com=127.0.0.1:9000'],
  ['EGRESS_REWRITE', 'api.stripe.com=ftp://127.0.0.1:9000'],
  ['EGRESS_REWRITE', 'api.stripe.com=http://127.0.0.1:90000'],
  ['EGRESS_REWRITE', 'api.stripe.com=http://127.0.0.1:9000/v1'],
  ['EGRESS_REWRITE', 'https://api.stripe.com=http://127.0.0.1:9000'],
  ['EGRESS_REWRITE', 'api.stripe.com:443=http://127.0.0.1:9000'],
  ['EGRESS_REWRITE', 'API.stripe.com=http://127.0.0.1:9000'],
  ['EGRESS_REWRITE', '=http://127.0.0.1:9000'],
])('an entry of a list that would match nothing is a fault: %s=%s', (name, entry) => {
  const faults = faultsOf({ [name]: `${name === 'EGRESS_REWRITE' ? 'web.test=http://[::1]:9000/' : '127.0.0.0/8'}, ${entry}` });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(`${name}: ${entry}: must be `);
});

test('lists are separated by commas and spaces', () => {
  expect(
    readEnv({
      TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16 fd00::1,fd00::/8',
      ALLOW_PRIVATE_UPSTREAMS: '127.0.0.0/8,::1/128 ollama:11434,[::1]:11434,10.0.0.5:80',
      EGRESS_REWRITE: 'api.stripe.com=http://127.0.0.1:9000,web.test=https://mock:80 [::1]=http://mock',
    }),
  ).toMatchObject({
    TRUSTED_PROXIES: ['10.0.0.1', '10.1.0.0/16', 'fd00::1', 'fd00::/8'],
    ALLOW_PRIVATE_UPSTREAMS: ['127.0.0.0/8', '::1/128', 'ollama:11434', '[::1]:11434', '10.0.0.5:80'],
    EGRESS_REWRITE: ['api.stripe.com=http://127.0.0.1:9000', 'web.test=https://mock:80', '[::1]=http://mock'],
  });
});

test('a wrong secret is not repeated in the message', () => {
  expect(faultsOf({ SECRET_KEY: 'hunter2hunter2' }).join()).not.toContain('hunter2');
});

test('PostgreSQL refuses to start without a master key', () => {
  expect(faultsOf({ DATABASE_URL: 'postgres://localhost/x' }).join()).toContain('SECRET_KEY');
});
