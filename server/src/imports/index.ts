export { faultIn, faultText, ImportFault } from './faults.ts';
export { createImportRuns, type ImportRuns, type ImportState, type ImportWork } from './import-run.ts';
export { openSource, readSourceAddress } from './open-source.ts';
export { meanings, type Report } from './report.ts';
export { runImport } from './run.ts';
export { openImportStage } from './stage.ts';
export type { Progress } from './work.ts';
