export {
  databaseBytes,
  isAsCopied,
  refuseRunningServer,
  stageBackup,
  stageRestore,
} from './sqlite/backup.ts';
export { openStage, removeLeft } from './sqlite/copy.ts';
export { databaseFile as databasePath } from './sqlite/place.ts';

/** What to say to whoever wants to copy a database that has tools of its own. */
export const serverTools = {
  backup: 'DATABASE_URL names a PostgreSQL server, which has its own tools: pg_dump --format=custom --file=FILE "$DATABASE_URL"',
  restore:
    'DATABASE_URL names a PostgreSQL server, which has its own tools. Into an empty database: ' +
    'pg_restore --exit-on-error --no-owner --dbname="$DATABASE_URL" FILE, then npx tollgate after-restore',
} as const;
