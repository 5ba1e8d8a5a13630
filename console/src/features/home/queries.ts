import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import { readText, writeText } from '../../lib/storage.ts';

const maxRemembered = 100_000;

/** Content of the operator, remembered for the next visit's first paint. */
function contentQuery(name: 'home_page_content' | 'about', read: (signal: AbortSignal) => Promise<string>) {
  return queryOptions({
    queryKey: ['content', name],
    queryFn: async ({ signal }) => {
      const text = await read(signal);
      writeText(name, text.length > maxRemembered ? '' : text);
      return text;
    },
    placeholderData: () => readText(name) || undefined,
    staleTime: 60_000,
    retry: 1,
  });
}

export const homeQuery = contentQuery('home_page_content', (signal) => call(routes.site.homePage, { signal }));
export const aboutQuery = contentQuery('about', (signal) => call(routes.site.about, { signal }));

export const noticeQuery = queryOptions({
  queryKey: ['content', 'notice'],
  queryFn: ({ signal }) => call(routes.site.notice, { signal }),
  staleTime: 60_000,
  retry: false,
});
