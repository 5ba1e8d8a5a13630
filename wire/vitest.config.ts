import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { name: 'wire', include: ['src/**/*.test.ts', 'test/**/*.test.ts'], setupFiles: ['test/seed.ts'] },
});
