export { openSource, readSourceAddress } from './open-source.ts';
export { meanings, type Report } from './report.ts';
export { runImport } from './run.ts';
