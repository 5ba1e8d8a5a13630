import { defineConfig } from 'vitest/config';
import { runtimeFlags } from '../server/vitest.config.ts';

export default defineConfig({
  test: {
    name: 'e2e',
    include: ['**/*.test.ts'],
    globalSetup: ['../server/test/global-setup.ts', 'support/build.ts'],
    setupFiles: ['../wire/test/seed.ts'],
    pool: 'forks',
    execArgv: runtimeFlags,
    // Half of the time is waiting: for browsers, polls and processes that start.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What one waits for comes when it comes; a test that measures says so.
    expect: { poll: { timeout: 20_000, interval: 20 } },
  },
});
