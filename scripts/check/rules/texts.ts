import type { SourceFile } from '../../source-files.ts';
import { type Finding, lineAt, withoutComments } from '../finding.ts';

/** Between two tags, before a closing one, or before a value; neither what an arrow returns nor a type. */
const shown = /(?<![=\s])>([^<>{}()=;?:&|]*\p{L}[^<>{}()=;?:&|]*)(?=[{<])|(?<!=)[>}]([^<>{}]*\p{L}[^<>{}]*)(?=<\/)/gu;
/** Attributes that are read out or shown, with a text instead of a message. */
const named =
  /\s(?:aria-label|aria-description|aria-roledescription|placeholder|title|alt|label|hint|description|text|note|submitLabel|confirmLabel|copyLabel)=(?:"([^"]*\p{L}[^"]*)"|\{'([^'\n]*\p{L}[^'\n]*)'\})/gu;

/** What is the same in every language: units, what is sent as it stands, and examples of what is typed. */
const same = new Set(['s', 'ms', '/ 1M', 'Authorization: Bearer sk-...', 'org-...', 'model-a, model-b']);
/** JSON, addresses of the web, those of computers. */
const example = /^\{"|^\w+:\/\/|^[\da-f]+[.:][\da-f]/;

const inScope = /^console\/src\/(?!.*\.test\.tsx$).*\.tsx$/;

/** Refuses texts in the console's pages: only a message has both languages. */
export function checkTexts(files: readonly SourceFile[]): Finding[] {
  return files.filter(({ path }) => inScope.test(path)).flatMap(findingsOf);
}

function findingsOf({ path, text }: SourceFile): Finding[] {
  const code = withoutComments(text);
  return [...code.matchAll(shown), ...code.matchAll(named)].flatMap((match) => {
    const said = (match[1] ?? match[2] ?? '').trim();
    if (same.has(said) || example.test(said)) return [];
    const line = lineAt(code, match.index + match[0].indexOf(said));
    return [{ path, line, message: `says "${said}": write it into console/messages, in both languages` }];
  });
}
