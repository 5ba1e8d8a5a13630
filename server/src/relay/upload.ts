import type { Upload as Form } from '../providers/index.ts';
import { localFault } from './faults.ts';

/** A form as it came: its text fields, its first file, and the bytes to pass on. */
export interface Upload extends Form {
  readonly raw: Buffer;
  readonly contentType: string;
  readonly form: FormData;
}

const fileFields = ['file', 'image', 'image[]', 'audio'];
const maxFields = 64;

/** Reads a multipart body. Rejects with RelayFault. */
export async function readUpload(raw: Buffer, contentType: string): Promise<Upload> {
  const form = await parse(raw, contentType);
  const fields: Record<string, string> = {};
  let count = 0;
  for (const [name, value] of form) {
    count += 1;
    if (count > maxFields) throw localFault('invalid_request', { reason: 'the form has too many fields' });
    if (typeof value === 'string') fields[name] = value;
  }
  const file = fileFields.map((name) => form.get(name)).find((value) => value instanceof File);
  if (file === undefined) throw localFault('invalid_text_request', { reason: 'field file is required' });
  const bytes = Buffer.from(await file.arrayBuffer());
  const mediaType = file.type === '' ? 'application/octet-stream' : file.type;
  return { raw, contentType, form, fields, file: { bytes, name: file.name, mediaType } };
}

async function parse(raw: Buffer, contentType: string): Promise<FormData> {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) throw localFault('invalid_request', { reason: 'a form is expected' });
  try {
    return await new Response(new Uint8Array(raw), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw localFault('invalid_request', { reason: 'the form cannot be read' });
  }
}

/** The form with other text fields: null removes one. */
export async function rebuildUpload(
  { form }: Upload,
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
