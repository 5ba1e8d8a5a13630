import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { runtimeFlags } from '../server/vitest.config.ts';

/** The longest files, by name: a fresh copy knows no durations, and a long file that starts late ends alone. */
const longest = [
  ...['accessibility', 'faults-database', 'accessibility-dialogs', 'tasks-crash', 'faults-nodes', 'first-call', 'options'],
  ...['rolling-versions', 'xss', 'accounts', 'channel-editor-console', 'drawings'],
  ...['limits', 'conformance', 'stream-buffering', 'outbox', 'kill', 'rolling-restart', 'kill-nodes'],
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.indexOf(path.basename(moduleId, '.test.ts'));
      return place === -1 ? longest.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    name: 'e2e',
    include: ['**/*.test.ts'],
    globalSetup: ['support/engines-with-root.ts', 'support/build.ts'],
    setupFiles: ['../wire/test/seed.ts', 'support/begin-with-root.ts'],
    pool: 'forks',
    execArgv: runtimeFlags,
    // Half of the time is waiting: for browsers, polls and processes that start.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What one waits for comes when it comes; a test that measures says so.
    expect: { poll: { timeout: 20_000, interval: 20 } },
  },
});
