import { queryOptions } from '@tanstack/react-query';
import type { ApiDocument } from '@tollgate/contract/openapi.ts';
import { refusalOf, unansweredOf } from '../../api/errors.ts';
import { routes } from '../../api/routes.ts';
import type { Language } from '../../i18n/language.ts';

const timeoutMs = 20_000;
export const documentAddress = (language: Language): string => `${routes.docs.openapi.path}?lang=${language}`;

/** The description of the API; no envelope, but the document itself. */
export const documentQuery = (language: Language) =>
  queryOptions({
    queryKey: ['openapi', language],
    staleTime: Number.POSITIVE_INFINITY,
    async queryFn({ signal }): Promise<ApiDocument> {
      const late = AbortSignal.timeout(timeoutMs);
      const limit = AbortSignal.any([signal, late]);
      const answer = await fetch(documentAddress(language), { signal: limit }).catch((error: unknown) => {
        throw signal.aborted ? error : unansweredOf(late);
      });
      if (!answer.ok) throw refusalOf(answer, '');
      return (await answer.json()) as ApiDocument;
    },
  });
