import { defineConfig } from 'vitest/config';
import { runtimeFlags } from './test/runtime-flags.ts';

export default defineConfig({
  test: {
    name: 'server',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['../wire/test/seed.ts'],
    pool: 'forks',
    execArgv: runtimeFlags,
    // A quarter of the time was each file loading the same sources; none of them replaces a module.
    isolate: false,
    restoreMocks: true,
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 20 } },
  },
});
