import { queryOptions, useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { textOf } from '../../api/errors.ts';
import { routes } from '../../api/routes.ts';
import { useWrite } from '../../api/write.ts';
import { saveHint } from '../../ui/form/save-hint.ts';
import { type Change, inOrder } from './model.ts';

const mailMs = 60_000;

export const optionsQuery = queryOptions({
  queryKey: ['options', 'list'],
  queryFn: async ({ signal }) => new Map((await call(routes.option.list, { signal })).map((row) => [row.key, row])),
  staleTime: 0,
});

/** Which of the changes were taken, and why the others were not. */
export interface Saved {
  done: readonly string[];
  failures: Readonly<Record<string, string>>;
}

/** One call per option, one after the other: the first that the server refuses does not stop the rest. */
async function saveEach(changes: readonly Change[]): Promise<Saved> {
  const done: string[] = [];
  const failures: Record<string, string> = {};
  for (const change of inOrder(changes)) {
    try {
      await call(routes.option.save, { body: change });
      done.push(change.key);
    } catch (error) {
      failures[change.key] = `${textOf(error)} ${saveHint(error)}`.trim();
    }
  }
  return { done, failures };
}

/** Settings are felt everywhere: afterwards every page that is open asks anew. */
export const useSaveOptions = () => useWrite(saveEach, []);
export const useTestMail = () =>
  useMutation({ mutationFn: (to: string) => call(routes.option.testMail, { body: { to }, timeoutMs: mailMs }) });
