import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: '../node_modules/.vite/scripts',
  // Half of the time was each file loading the same sources.
  test: { name: 'scripts', include: ['**/*.test.ts'], isolate: false, testTimeout: 20_000 },
});
