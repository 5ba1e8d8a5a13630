export { crowdColumns, crowdRows } from '../../server/test/log-crowd.ts';
