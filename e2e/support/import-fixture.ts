export {
  channelRow,
  fixtureTables,
  keyOf,
  logRow,
  oldPassword,
  tokenRow,
  userRow,
  writeSqliteFixture,
} from '../../server/test/import-kit.ts';
