import { queryOptions } from '@tanstack/react-query';
import type { ApiDocument } from '@tollgate/contract/openapi.ts';
import { readJsonFile } from '../../api/json-file.ts';
import { routes } from '../../api/routes.ts';
import type { Language } from '../../i18n/language.ts';

export const documentAddress = (language: Language): string => `${routes.docs.openapi.path}?lang=${language}`;

/** The description of the API; no envelope, but the document itself. */
export const documentQuery = (language: Language) =>
  queryOptions({
    queryKey: ['openapi', language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readJsonFile<ApiDocument>(documentAddress(language), signal),
  });
