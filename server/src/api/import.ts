import type { ImportReport, ImportRun, importRoutes } from '@tollgate/contract';
import { faultText, type ImportRuns, type ImportState, meanings, type Report } from '../imports/index.ts';
import type { Language } from '../platform/errors.ts';
import { actorOf, type Handlers } from './types.ts';

export function importHandlers({ imports }: { imports: ImportRuns }): Handlers<typeof importRoutes> {
  const view = async (language: Language) => viewOf(await imports.state(), language);
  return {
    state: ({ language }) => view(language),
    async start(call) {
      await imports.start(call.body, actorOf(call));
      return view(call.language);
    },
    async cancel(call) {
      await imports.cancel(actorOf(call));
      return view(call.language);
    },
  };
}

function viewOf(state: ImportState | null, language: Language): ImportRun | null {
  if (state === null) return null;
  const { report, fault, ...run } = state;
  const failure = fault === undefined ? run.failure : faultText(fault, language);
  return { ...run, failure, report: report && reportOf(report, language) };
}

function reportOf(
  { product, mode, counts, notes, noted, before, after, debts, left, ok }: Report,
  language: Language,
): ImportReport {
  const remarks = Object.entries(noted).map(([name, count]) => {
    const own = notes.filter(({ kind, what }) => `${kind}.${what}` === name);
    const meaning = meanings[name]?.[language === 'en' ? 1 : 0] ?? name;
    return {
      ...{ kind: own[0]?.kind ?? 'options', meaning, count },
      examples: own.map(({ key, detail }) => (detail === '' ? key : `${key} (${detail})`)),
    };
  });
  return { product, mode, counts, remarks, before, after: after ?? null, debts, left, ok };
}
