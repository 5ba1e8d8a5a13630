import { queryOptions } from '@tanstack/react-query';
import { refusalOf, unansweredOf } from '../../api/errors.ts';
import type { Language } from '../../i18n/language.ts';
import type { ManualEntry } from './model.ts';

const timeoutMs = 20_000;

/** A file of the build; it never changes under its name but for the index. */
async function read<T>(address: string, signal: AbortSignal): Promise<T> {
  const late = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(address, { signal: AbortSignal.any([signal, late]) }).catch((error: unknown) => {
    throw signal.aborted ? error : unansweredOf(late);
  });
  if (!answer.ok) throw refusalOf(answer, '');
  return (await answer.json()) as T;
}

/** Titles and headings of all pages. */
export const indexQuery = (language: Language) =>
  queryOptions({
    queryKey: ['manual', language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => read<ManualEntry[]>(`/manual/${language}.json`, signal),
  });

/** One page, by the file that the index names. */
export const pageQuery = (file: string | undefined) =>
  queryOptions({
    queryKey: ['manual', 'page', file],
    enabled: file !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => read<{ html: string }>(file ?? '', signal),
  });
