import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As many as there are cores; vitest leaves one free.
  test: { name: 'wire', include: ['src/**/*.test.ts', 'test/**/*.test.ts'], setupFiles: ['test/seed.ts'], maxWorkers: '100%' },
});
