export { createLogs, type Logs, type LogScope } from './logs.ts';
export { insertSystemLog, type SystemLog } from './system-log.ts';
