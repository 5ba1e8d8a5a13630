import { configDefaults, defineConfig } from 'vitest/config';

/** Ask what a gateway keeps, not what it takes, and leave half of the machine for minutes: `npm test` runs other suites beside them. */
const soak = ['src/soak.test.ts', 'src/streams.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['../e2e/support/build.ts'],
    pool: 'forks',
    fileParallelism: false,
    projects: [
      { extends: true, test: { name: 'bench', include: ['src/**/*.test.ts'], exclude: [...configDefaults.exclude, ...soak] } },
      // Last, where both run.
      { extends: true, test: { name: 'soak', include: soak, sequence: { groupOrder: 1 } } },
    ],
  },
});
