import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'wire',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/seed.ts'],
    // Nothing in here keeps anything, and each file loading the same sources was a tenth of the time.
    isolate: false,
    // As many as there are cores; vitest leaves one free.
    maxWorkers: '100%',
    testTimeout: 60_000,
  },
});
