/** One refusal: where, and a sentence that says what to do instead. */
export interface Finding {
  readonly path: string;
  /** From 1; 0 = the whole file. */
  readonly line: number;
  readonly message: string;
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

export function describeFinding({ path, line, message }: Finding): string {
  return `${path}${line > 0 ? `:${line}` : ''}  ${message}`;
}

/** Test code may reach everywhere: a test stands outside of the layers. */
export function isTestFile(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || /(^|\/)(test|fixtures)\//.test(path) || path.startsWith('e2e/');
}

const stringsAndComments = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** The text with its comments blanked out; offsets and lines stay. */
export function withoutComments(text: string): string {
  return text.replace(stringsAndComments, (piece) => (/^\/[/*]/.test(piece) ? piece.replace(/[^\n]/g, ' ') : piece));
}

/** The text with its string and template literals blanked out. Expects a text without comments. */
export function withoutLiterals(text: string): string {
  return text.replace(stringsAndComments, (piece) => piece.replace(/[^\n]/g, ' '));
}

/** All string and template literals with their offsets, quotes included. */
export function literals(text: string): { offset: number; text: string }[] {
  return [...text.matchAll(stringsAndComments)]
    .filter((match) => !/^\/[/*]/.test(match[0]))
    .map((match) => ({ offset: match.index, text: match[0] }));
}
