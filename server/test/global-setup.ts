import type { TestProject } from 'vitest/node';
import { createPasswords } from '../src/identity/passwords.ts';
import { bootstrapRoot } from '../src/identity/root.ts';
import { nowSeconds, systemClock } from '../src/platform/clock.ts';
import { sha256 } from '../src/platform/crypto.ts';
import { findPostgres, startPostgres } from './postgres.ts';
import { type Furnish, makeTemplates } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** One server for each worker; empty = no PostgreSQL on this machine, or not wanted. */
    postgresUrls: readonly string[];
    /** Folder with a migrated embedded database. */
    templateDir: string;
  }
}

/**
 * Starts PostgreSQL and migrates once. `TOLLGATE_TEST_ENGINES` (default `sqlite,postgres`) narrows the engines. A server
 * for each worker: an open transaction of one file would hold back what the file beside it looks for.
 */
export const setup = (project: TestProject): Promise<() => Promise<void>> => prepareEngines(project);

/** The same, and root is in each of the databases, as a first start makes it, with a session by this cookie in which no password was given. */
export const setupWithRoot = (project: TestProject, initialPassword: string, cookie: string): Promise<() => Promise<void>> => {
  const passwords = createPasswords();
  return prepareEngines(project, async (db) => {
    await bootstrapRoot({ db, clock: systemClock, passwords, initialPassword });
    await db.transaction(async ({ query }) => {
      const root = await query.selectFrom('users').select(['id', 'session_epoch']).executeTakeFirstOrThrow();
      const now = nowSeconds(systemClock);
      const times = { created_at: now, proven_at: 0, seen_at: now };
      const values = { id_hash: sha256(cookie), user_id: root.id, session_epoch: root.session_epoch, ...times };
      await query
        .insertInto('session')
        .values({ ...values, ip: '127.0.0.1', user_agent: '' })
        .execute();
    });
  });
};

async function prepareEngines(project: TestProject, furnish?: Furnish): Promise<() => Promise<void>> {
  const wanted = (process.env.TOLLGATE_TEST_ENGINES ?? 'sqlite,postgres').split(',').includes('postgres');
  const bin = wanted ? findPostgres() : undefined;
  if (bin === undefined)
    console.log(wanted ? 'skipped: no PostgreSQL' : 'skipped: PostgreSQL is not among TOLLGATE_TEST_ENGINES');
  const workers = Array.from({ length: project.config.maxWorkers }, () => bin).filter((each) => each !== undefined);
  const servers = await Promise.all(workers.map((each) => startPostgres(each)));
  const urls = servers.map(({ url }) => url);
  const templates = await makeTemplates(urls, furnish);
  project.provide('postgresUrls', urls);
  project.provide('templateDir', templates.dataDir);
  return async () => {
    templates.remove();
    await Promise.all(servers.map((server) => server.stop()));
  };
}
