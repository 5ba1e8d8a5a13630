import { fields } from '@tollgate/contract';
import { type JsonObject, scanObject } from '@tollgate/wire';
import type { Task } from '../../tasks/index.ts';
import { localFault } from '../faults.ts';

export interface VideoBody {
  readonly body: Buffer;
  readonly contentType: string;
}

/** What is asked for, and how it is said to an upstream that calls the model otherwise. */
export interface VideoWish {
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number;
  readonly size: string;
  /** JSON of its texts. */
  readonly words: Buffer;
  body(model: string, override: JsonObject): VideoBody | Promise<VideoBody>;
}

const defaultModel = 'sora-2';
const defaultSeconds = 4;
const longestSeconds = 600;
const maxPrompt = 8_192;
const maxFields = 64;

/** JSON, or a form that may hold a picture. A remix is as long as what it changes. Rejects with RelayFault. */
export async function readVideoWish(raw: Buffer, contentType: string, parent: Task | undefined): Promise<VideoWish> {
  if (/^multipart\/form-data\s*;/i.test(contentType)) return fromForm(raw, contentType, parent);
  const result = scanObject(raw);
  if (!result.ok) throw localFault('invalid_text_request', { reason: 'the body is not a JSON object' });
  const body = JSON.parse(raw.toString('utf8')) as JsonObject;
  return {
    ...read(body, parent),
    words: raw,
    body: (model, override) => ({
      // A remix names no model.
      body: Buffer.from(JSON.stringify({ ...body, ...(parent === undefined ? { model } : {}), ...override })),
      contentType: 'application/json',
    }),
  };
}

async function fromForm(raw: Buffer, contentType: string, parent: Task | undefined): Promise<VideoWish> {
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': contentType } }).formData().catch(() => {
    throw localFault('invalid_request', { reason: 'the form cannot be read' });
  });
  const all = [...form];
  if (all.length > maxFields) throw localFault('invalid_request', { reason: 'the form has too many fields' });
  const texts = Object.fromEntries(all.filter(([, value]) => typeof value === 'string')) as Record<string, string>;
  const asked = read(texts, parent);
  return {
    ...asked,
    words: Buffer.from(JSON.stringify(texts)),
    body: async (model) => {
      if (model === texts.model) return { body: raw, contentType };
      form.set('model', model);
      const encoded = new Response(form);
      const type = encoded.headers.get('content-type') ?? contentType;
      return { body: Buffer.from(await encoded.arrayBuffer()), contentType: type };
    },
  };
}

function read(body: JsonObject, parent: Task | undefined): Pick<VideoWish, 'model' | 'prompt' | 'seconds' | 'size'> {
  const model = parent?.model ?? textOf(body.model, defaultModel);
  if (!fields.modelName.safeParse(model).success) throw localFault('invalid_text_request', { reason: 'model is invalid' });
  const prompt = textOf(body.prompt, '');
  if (prompt.trim() === '') throw localFault('invalid_text_request', { reason: 'field prompt is required' });
  const { seconds: asked = defaultSeconds } = body;
  const seconds = parent?.input.seconds ?? (typeof asked === 'string' || typeof asked === 'number' ? Number(asked) : Number.NaN);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > longestSeconds) throw localFault('video_seconds_invalid');
  const size = parent?.input.size ?? textOf(body.size, '').slice(0, 32);
  return { model, prompt: prompt.slice(0, maxPrompt), seconds, size };
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}
