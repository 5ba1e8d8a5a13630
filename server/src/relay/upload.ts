import { foldedName, type RefusalCode } from '@tollgate/wire';
import type { Upload as Form } from '../providers/index.ts';
import { localFault, type RelayFault } from './faults.ts';
import { isPriced, plainName, quoted, refuseMisspelt } from './priced-names.ts';

/** A form as it came: its text fields, its first file, and the bytes to pass on. */
export interface Upload extends Form {
  readonly raw: Buffer;
  readonly contentType: string;
  readonly form: FormData;
}

const pictureFields = ['image', 'image[]'];
/** Sound, whose length is measured, by `plainName`. */
const soundFields: ReadonlySet<string> = new Set(['file', 'audio'].map(plainName));
const maxFields = 64;
/** Of what stands above a part. */
const maxHeadChars = 16_384;

const ambiguous = 'the form can be read in more than one way';

/** Reads a form that holds a file; without one it is refused by `code`. Rejects with RelayFault. */
export async function readUpload(raw: Buffer, contentType: string, code: RefusalCode = 'invalid_text_request'): Promise<Upload> {
  const form = await readForm(raw, contentType);
  const [sound, ...more] = [...form].filter(([name]) => soundFields.has(plainName(name)));
  if (more.length > 0) throw refused('the form has more than one file');
  const pictures = pictureFields.map((name) => form.get(name)).filter((value) => value instanceof File);
  const file = sound === undefined ? pictures[0] : sound[1];
  if (!(file instanceof File)) throw localFault(code, { reason: 'field file is required' });
  const bytes = Buffer.from(await file.arrayBuffer());
  const mediaType = file.type === '' ? 'application/octet-stream' : file.type;
  return { raw, contentType, form, fields: textsOf(form), file: { bytes, name: file.name, mediaType } };
}

/**
 * Reads a multipart body. What an upstream could read in another way than it is priced here is refused (decision 0071):
 * a field that comes twice, a priced one as a list or as a file, heads that name a part twice. Rejects with RelayFault.
 */
export async function readForm(raw: Buffer, contentType: string): Promise<FormData> {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) throw refused('a form is expected');
  // Counted first: to read 400,000 parts takes seconds, in which nothing else is done.
  const mark = markOf(contentType);
  const heads = mark === undefined ? [] : headsOf(raw, mark);
  if (heads.length > maxFields) throw refused('the form has too many fields');
  if (mark === undefined || !heads.every(isPlainHead)) throw refused(ambiguous);
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': contentType } }).formData().catch(() => {
    throw refused('the form cannot be read');
  });
  const parts = [...form];
  if (heads.length !== parts.length) throw refused(ambiguous);
  refuseMisspelt(parts.map(([name]) => name));
  refuseRepeated(parts);
  return form;
}

function refused(reason: string): RelayFault {
  return localFault('invalid_request', { reason });
}

/** Names that end with brackets are lists, and pictures may be several. */
function refuseRepeated(parts: readonly (readonly [string, string | File])[]): void {
  const seen = new Set<string>();
  for (const [name, value] of parts) {
    if (typeof value !== 'string' && isPriced(name)) throw refused(`${quoted(name)} must not be a file`);
    if (typeof value !== 'string' || name.endsWith('[]')) continue;
    if (seen.has(foldedName(name))) throw refused(`duplicate field ${quoted(name)}`);
    seen.add(foldedName(name));
  }
}

/** Parameters that all readers understand alike: words and plain quoted text, without escapes. */
const plainType = /^multipart\/form-data(?:[ \t]*;[ \t]*[^\s;="\\]+=(?:"[^"\\]*"|[^\s;"\\]+))+(?:[ \t]*;)?[ \t]*$/i;

/** The line that begins each part; undefined where readers could differ on it. */
function markOf(contentType: string): string | undefined {
  const [boundary, ...more] = contentType.matchAll(/[;\s]boundary=(?:"([^"]*)"|([^\s;]+))/gi);
  if (boundary === undefined || more.length > 0 || !plainType.test(contentType)) return undefined;
  return saidTimes(contentType, 'boundary') === 1 ? `--${boundary[1] ?? boundary[2]}\r\n` : undefined;
}

/** What stands above each part, up to one more than there may be; none is missing that a reader of forms finds. */
function headsOf(raw: Buffer, mark: string): string[] {
  const heads: string[] = [];
  for (let at = raw.indexOf(mark); at >= 0 && heads.length <= maxFields; ) {
    const end = raw.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const start = at + mark.length;
    heads.push(raw.toString('latin1', start, Math.min(end, start + maxHeadChars + 1)));
    at = raw.indexOf(mark, end);
  }
  return heads;
}

/** It names its part once, and its content is not encoded. */
function isPlainHead(head: string): boolean {
  if (head.length > maxHeadChars) return false;
  const [line = '', ...more] = head.split('\r\n').filter((each) => /^content-disposition\s*:/i.test(each));
  const isEncoded = /^content-transfer-encoding\s*:(?!\s*(?:7bit|8bit|binary)\s*$)/im.test(head);
  return more.length === 0 && saidTimes(line, 'name') === 1 && !isEncoded;
}

/** How often a header gives a parameter, in whatever spelling. */
function saidTimes(header: string, parameter: string): number {
  const spelled = new RegExp(`[;\\s]${parameter}(?:\\*\\d*)*\\s*=`, 'gi');
  return header.replace(/"[^"]*"/g, '""').match(spelled)?.length ?? 0;
}

/** The text fields; of a list its last, since none is read here. */
export function textsOf(form: FormData): Record<string, string> {
  return Object.fromEntries([...form].filter((part): part is [string, string] => typeof part[1] === 'string'));
}

/** A value as a form says it; null: there is no such field. */
export function fieldText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The form with other text fields: null removes one. */
export async function rebuildForm(
  form: FormData,
  edits: ReadonlyMap<string, string | null>,
): Promise<{ body: Buffer; contentType: string }> {
  const copy = new FormData();
  for (const [name, value] of form) if (!edits.has(name)) copy.append(name, value);
  for (const [name, value] of edits) if (value !== null) copy.append(name, value);
  const encoded = new Response(copy);
  return {
    body: Buffer.from(await encoded.arrayBuffer()),
    contentType: encoded.headers.get('content-type') ?? 'multipart/form-data',
  };
}
