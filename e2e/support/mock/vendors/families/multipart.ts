import * as strict from '../strict.ts';

/** A field of a form; `file` = its name, where it is one. */
export interface FormField {
  readonly name: string;
  readonly file: string | undefined;
  readonly type: string;
  readonly bytes: Buffer;
}

/** Reads a form as RFC 7578 has it; refuses what is none. */
export function readForm(body: Buffer, contentType: string): FormField[] {
  const boundary = /^multipart\/form-data;\s*boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary === undefined) return strict.refuse('the body must be multipart/form-data');
  const mark = `--${boundary}`;
  const fields: FormField[] = [];
  let at = body.indexOf(mark);
  for (;;) {
    const start = at + mark.length;
    if (at < 0) return strict.refuse('the form has no end');
    if (body.toString('latin1', start, start + 2) === '--') return fields;
    const end = body.indexOf(`\r\n${mark}`, start);
    const head = body.indexOf('\r\n\r\n', start);
    if (end < 0 || head < 0 || head > end) return strict.refuse('a part of the form is broken');
    fields.push(readField(body.toString('utf8', start, head), body.subarray(head + 4, end)));
    at = end + 2;
  }
}

function readField(head: string, bytes: Buffer): FormField {
  const name = /content-disposition:\s*form-data;.*?\bname="([^"]*)"/i.exec(head)?.[1];
  if (name === undefined) return strict.refuse('a part of the form has no name');
  return {
    name,
    file: /\bfilename="([^"]*)"/i.exec(head)?.[1],
    type: /content-type:\s*(\S+)/i.exec(head)?.[1] ?? 'text/plain',
    bytes,
  };
}

/** The text fields by name; only `known` ones may occur, and files only as one of `files`. */
export function textsOf(fields: readonly FormField[], known: string, files: string): Readonly<Record<string, string>> {
  const allowed = known.split(' ');
  for (const { name, file } of fields) {
    const isFile = files.split(' ').includes(name);
    if (isFile !== (file !== undefined)) strict.refuse(`${name}: ${isFile ? 'must be a file' : 'must not be a file'}`);
    if (!isFile && !allowed.includes(name)) strict.refuse(`${name}: unknown field`);
  }
  return Object.fromEntries(
    fields.filter(({ file }) => file === undefined).map(({ name, bytes }) => [name, bytes.toString('utf8')]),
  );
}
