import { defineConfig } from 'vitest/config';

/**
 * For processes whose database threads run from sources: types are stripped by WebAssembly whose code all threads share. Where
 * V8 13.6 replaces a wrapper of it (after 1,000 calls) while another thread ends, the process dies of a segmentation fault in
 * `NativeModule::FreeCode`. So wrappers stay as they are.
 */
export const runtimeFlags = ['--wasm-wrapper-tiering-budget=2147483647'];

export default defineConfig({
  test: {
    name: 'server',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['../wire/test/seed.ts', 'test/lent-threads.ts'],
    pool: 'forks',
    execArgv: runtimeFlags,
    // A quarter of the time was each file loading the same sources; none of them replaces a module.
    isolate: false,
    restoreMocks: true,
    // A fifth of the time of two was waiting, for databases mostly.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 20 } },
  },
});
