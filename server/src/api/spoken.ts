import { errorText } from '@tollgate/contract';
import { type Language, publicError } from '../platform/errors.ts';
import type { Call } from './types.ts';

/** The form of contract 1.13: `message` says success or error, `data` the answer or the text, in the caller's language. */
export async function spoken<T>(call: Pick<Call, 'add' | 'say'>, language: Language, run: () => Promise<T>): Promise<T> {
  try {
    const data = await run();
    call.say('success');
    return data;
  } catch (error) {
    const known = publicError(error);
    if (known === undefined || known.retryAfterSeconds !== undefined) throw error;
    const text = errorText(known.code, { ...known.values }, language);
    call.add({ success: false, message: 'error', data: text });
    return undefined as T;
  }
}
