export { createLogs, type LogScope, type Logs } from './logs.ts';
export { lastRowBefore, type Spender, spentSince } from './spent.ts';
export { insertSystemLog, type SystemLog } from './system-log.ts';
export { insertTestLog, type TestLog } from './test-log.ts';
