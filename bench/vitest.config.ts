import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'bench',
    include: ['src/**/*.test.ts'],
    globalSetup: ['../e2e/support/build.ts'],
    pool: 'forks',
    fileParallelism: false,
  },
});
