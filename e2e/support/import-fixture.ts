export {
  channelRow,
  fixtureTables,
  keyOf,
  oldPassword,
  tokenRow,
  userRow,
  writeSqliteFixture,
} from '../../server/test/import-kit.ts';
