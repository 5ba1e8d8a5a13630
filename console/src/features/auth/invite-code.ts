import { readText, writeText } from '../../lib/storage.ts';

const affKey = 'aff';
/** The invite code of the link that led here, kept until somebody registers. */
export function rememberAff(code: string | undefined): string {
  if (code) writeText(affKey, code);
  return code ?? readText(affKey);
}

/** The code remembered by `rememberAff`; empty when there is none. */
export const knownAff = (): string => readText(affKey);
export const forgetAff = (): void => writeText(affKey, '');
