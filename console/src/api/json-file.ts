import { refusalOf, unansweredOf } from './errors.ts';

const timeoutMs = 20_000;

/** Reads a file of JSON, which is no envelope. Throws ApiError; an aborted call throws the abort itself. */
export async function readJsonFile<T>(address: string, signal: AbortSignal): Promise<T> {
  const late = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(address, { signal: AbortSignal.any([signal, late]) }).catch((error: unknown) => {
    throw signal.aborted ? error : unansweredOf(late);
  });
  if (!answer.ok) throw refusalOf(answer, '');
  return (await answer.json()) as T;
}
