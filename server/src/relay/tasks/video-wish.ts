import { fields } from '@tollgate/contract';
import { type JsonObject, scanObject } from '@tollgate/wire';
import type { Task } from '../../tasks/index.ts';
import { localFault } from '../faults.ts';
import { bodyOf } from '../inquiry.ts';
import { refuseMisspelt } from '../priced-names.ts';
import { fieldText, readForm, rebuildForm, textsOf } from '../upload.ts';
import { maxPrompt } from './order.ts';

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
  /** `isTimed`: its seconds are paid, so that the upstream is told them also where the caller said none. */
  body(model: string, override: JsonObject, isTimed?: boolean): VideoBody | Promise<VideoBody>;
}

const defaultModel = 'sora-2';
const defaultSeconds = 4;
const longestSeconds = 600;
/** A remix names none of them: it has those of what it changes, and is priced by them. */
const inherited = ['model', 'seconds', 'size'];

/** JSON, or a form that may hold a picture. A remix is as long as what it changes. Rejects with RelayFault. */
export async function readVideoWish(raw: Buffer, contentType: string, parent: Task | undefined): Promise<VideoWish> {
  if (/^multipart\/form-data\s*;/i.test(contentType)) return fromForm(raw, contentType, parent);
  const result = scanObject(raw);
  if (!result.ok) throw localFault('invalid_text_request', { reason: 'the body is not a JSON object' });
  refuseMisspelt(result.scan.members.map(({ key }) => key));
  const body = bodyOf(raw);
  return {
    ...read(body, parent),
    words: raw,
    body: (model, override, isTimed) => ({
      body: Buffer.from(JSON.stringify({ ...edited(body, editsOf(body, parent, model, isTimed)), ...override })),
      contentType: 'application/json',
    }),
  };
}

/** What the upstream is told otherwise than the caller said it: null removes. */
function editsOf(said: JsonObject, parent: Task | undefined, model: string, isTimed = false): Map<string, string | null> {
  if (parent !== undefined) return new Map(inherited.map((name) => [name, null]));
  const edits = new Map([['model', model]]);
  return isTimed && said.seconds === undefined ? edits.set('seconds', String(defaultSeconds)) : edits;
}

/** An operator's values as a form says them. */
function textsFor(override: JsonObject): [string, string | null][] {
  return Object.entries(override).map(([name, value]) => [name, fieldText(value)]);
}

function edited(body: JsonObject, edits: ReadonlyMap<string, string | null>): JsonObject {
  const kept = Object.entries(body).filter(([name]) => !edits.has(name));
  return Object.fromEntries([...kept, ...[...edits].filter(([, value]) => value !== null)]);
}

async function fromForm(raw: Buffer, contentType: string, parent: Task | undefined): Promise<VideoWish> {
  const form = await readForm(raw, contentType);
  const texts = textsOf(form);
  return {
    ...read(texts, parent),
    words: Buffer.from(JSON.stringify(texts)),
    body: (model, override, isTimed) => {
      const edits = new Map([...editsOf(texts, parent, model, isTimed), ...textsFor(override)]);
      const isAsItCame = [...edits].every(([name, value]) => (texts[name] ?? null) === value);
      return isAsItCame ? { body: raw, contentType } : rebuildForm(form, edits);
    },
  };
}

function read(body: JsonObject, parent: Task | undefined): Pick<VideoWish, 'model' | 'prompt' | 'seconds' | 'size'> {
  const model = parent?.model ?? textOf(body.model, defaultModel);
  if (!fields.modelName.safeParse(model).success) throw localFault('invalid_text_request', { reason: 'model is invalid' });
  const prompt = textOf(body.prompt, '');
  if (prompt.trim() === '') throw localFault('invalid_text_request', { reason: 'field prompt is required' });
  const { seconds: asked = defaultSeconds } = body;
  const seconds = parent?.input.seconds ?? secondsOf(asked);
  if (seconds === undefined) throw localFault('video_seconds_invalid');
  const size = parent?.input.size ?? textOf(body.size, '').slice(0, 32);
  return { model, prompt: prompt.slice(0, maxPrompt), seconds, size };
}

/** Undefined: no length of a video. */
export function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= longestSeconds ? seconds : undefined;
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}
