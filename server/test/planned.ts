import { CompiledQuery, createQueryId, type KyselyPlugin, type RootOperationNode } from 'kysely';
import type { Database } from '../src/storage/database.ts';

const explain = { sqlite: 'EXPLAIN QUERY PLAN', postgres: 'EXPLAIN' } as const;
type Plan = Readonly<Record<'detail' | 'QUERY PLAN', string>>;

/** A database that notes what its quick reads and its transactions ask, and how the engine answers that. */
export function planned(db: Database) {
  const asked: RootOperationNode[] = [];
  const listening: KyselyPlugin = {
    transformQuery({ node }) {
      asked.push(node);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  const heard: Database = {
    ...db,
    read: db.read.withPlugin(listening),
    transaction: (body, options) => db.transaction((tx) => body({ ...tx, query: tx.query.withPlugin(listening) }), options),
  };
  const compiled = () => asked.splice(0).map((node) => db.read.getExecutor().compileQuery(node, createQueryId()));
  return {
    heard,
    /** The texts of what was asked since the last look. */
    texts: () => compiled().map(({ sql }) => sql),
    async plansOf(ask: Promise<unknown>) {
      await ask;
      const plans = [];
      for (const { sql, parameters } of compiled()) {
        const explained = CompiledQuery.raw(`${explain[db.engine]} ${sql}`, [...parameters]);
        plans.push(...(await db.read.executeQuery<Plan>(explained)).rows.map((row) => row.detail ?? row['QUERY PLAN']));
      }
      return plans.join('\n');
    },
  };
}
