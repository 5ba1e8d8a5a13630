import { tmpdir } from 'node:os';
import { openStage } from '../storage/backup.ts';
import { ImportFault } from './faults.ts';

/** A private folder among the temporary files. What a run that was killed left there goes. Throws ImportFault. */
export function openImportStage(purpose: string): ReturnType<typeof openStage> {
  const folder = tmpdir();
  try {
    return openStage(folder, `.tollgate-import-${purpose}-`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ImportFault('no_stage', { folder, reason }, { cause: error });
  }
}
