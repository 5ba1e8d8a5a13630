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

test('a wrong secret is not repeated in the message', () => {
  expect(faultsOf({ SECRET_KEY: 'hunter2hunter2' }).join()).not.toContain('hunter2');
});

test('PostgreSQL refuses to start without a master key', () => {
  expect(faultsOf({ DATABASE_URL: 'postgres://localhost/x' }).join()).toContain('SECRET_KEY');
});
