import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { contractRoutes, messages } from './vite.plugins.ts';

export default defineConfig({
  plugins: [messages(), contractRoutes(), react()],
  test: {
    name: 'console',
    environment: 'happy-dom',
    // Half of the time is waiting, for what a person would type and see.
    maxWorkers: 3,
    pool: 'threads',
    isolate: false,
    restoreMocks: true,
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    setupFiles: ['./test/setup.ts', '../wire/test/seed.ts'],
    testTimeout: 30_000,
  },
});
