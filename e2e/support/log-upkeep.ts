export { makeUpkeep } from '../../server/test/log-upkeep.ts';
