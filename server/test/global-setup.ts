import type { TestProject } from 'vitest/node';
import { findPostgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** "" = no PostgreSQL on this machine, or not wanted. */
    postgresUrl: string;
  }
}

/** Starts one PostgreSQL for the run. `TOLLGATE_TEST_ENGINES` (default `sqlite,postgres`) narrows the engines. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const wanted = (process.env.TOLLGATE_TEST_ENGINES ?? 'sqlite,postgres').split(',').includes('postgres');
  const bin = findPostgres();
  if (!wanted || bin === undefined) {
    project.provide('postgresUrl', '');
    console.log(wanted ? 'skipped: no PostgreSQL' : 'skipped: PostgreSQL is not among TOLLGATE_TEST_ENGINES');
    return undefined;
  }
  const server = await startPostgres(bin);
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
