import { queryOptions } from '@tanstack/react-query';
import { readJsonFile } from '../../api/json-file.ts';
import type { Language } from '../../i18n/language.ts';
import type { ManualEntry } from './model.ts';

/** Titles and headings of all pages. */
export const indexQuery = (language: Language) =>
  queryOptions({
    queryKey: ['manual', language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readJsonFile<ManualEntry[]>(`/manual/${language}.json`, signal),
  });

/** One page, by the file that the index names. */
export const pageQuery = (file: string | undefined) =>
  queryOptions({
    queryKey: ['manual', 'page', file],
    enabled: file !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readJsonFile<{ html: string }>(file ?? '', signal),
  });
