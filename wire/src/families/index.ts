import type { Surface } from '../chat/dialect.ts';
import { entryOf } from '../json.ts';
import { findMember, memberText } from '../json-member.ts';
import { foldedName, type JsonScan, scanObject } from '../json-scan.ts';
import type { RefusalCode } from '../request.ts';
import { type FamilySpec, familySurface } from './family.ts';

const input = [{ field: 'input', reason: 'field input is required' }];
const prompt = [{ field: 'prompt', reason: 'prompt is required' }];
const ranked = [
  { field: 'query', reason: 'query is required', code: 'invalid_query' },
  { field: 'documents', reason: 'documents is required', code: 'invalid_documents' },
] as const;
const sizeText = 'size must be one of 256x256, 512x512, or 1024x1024, dall-e-3 1024x1792 or 1792x1024';

/** Sizes that a model family takes (contract 6.14); models that are not named here take what their vendor says. */
const sizes: Readonly<Record<string, readonly string[]>> = {
  'dall-e': ['256x256', '512x512', '1024x1024'],
  'dall-e-2': ['256x256', '512x512', '1024x1024'],
  'dall-e-3': ['1024x1024', '1024x1792', '1792x1024'],
};

function checkSize(body: Buffer, scan: JsonScan, model: string): string | undefined {
  const size = memberText(body, findMember(scan, 'size'), 64);
  if (size === undefined || size === '') return undefined;
  if (size.includes('×'))
    return "size an unexpected error occurred in the parameter, please use 'x' instead of the multiplication sign '×'";
  const known = entryOf(sizes, model);
  return known === undefined || known.includes(size) ? undefined : sizeText;
}

/** A set's options are read like the body: an upstream must not find another number of pictures in there than we do. */
function checkSet(body: Buffer, scan: JsonScan): string | undefined {
  const options = findMember(scan, 'sequential_image_generation_options');
  if (options?.kind !== 'object') return undefined;
  const inside = scanObject(body.subarray(options.valueStart, options.valueEnd));
  if (!inside.ok) return inside.reason;
  const isMisspelt = inside.scan.members.some(({ key }) => key !== most && foldedName(key) === foldedName(most));
  return isMisspelt ? `${most} is misspelt` : undefined;
}

const most = 'max_images';

/** What is spoken is paid for by its length, which is known of a text. */
function checkSpoken(_body: Buffer, scan: JsonScan): string | undefined {
  return findMember(scan, 'input')?.kind === 'string' ? undefined : 'field input must be a text';
}

function checkPictures(body: Buffer, scan: JsonScan, model: string): string | undefined {
  return checkSize(body, scan, model) ?? checkSet(body, scan);
}

/** Filtered, or talked about instead of drawn (contract 6.6). */
const none = { message: 'no images were generated', type: 'invalid_request_error', param: null, code: 'no_images' };

/** What a request of these is told in that lacks something. */
const [picture, sound] = [{ code: 'invalid_image_request' }, { code: 'invalid_audio_request' }] as const;

const specs: readonly FamilySpec[] = [
  { name: 'embeddings', required: input, answered: 'data' },
  { name: 'moderations', required: input, defaultModel: 'text-moderation-stable', answered: 'results' },
  { name: 'rerank', required: ranked, answered: 'results' },
  { name: 'images', ...picture, required: prompt, defaultModel: 'dall-e-2', check: checkPictures, answered: 'data', none },
  { name: 'image-edits', ...picture, required: prompt, defaultModel: 'dall-e-2', check: checkSet, answered: 'data', none },
  { name: 'image-variations', ...picture, defaultModel: 'dall-e-2', answered: 'data', none },
  { name: 'speech', ...sound, required: input, defaultModel: 'tts-1', check: checkSpoken, opaque: 'sound' },
  { name: 'transcriptions', ...sound, defaultModel: 'whisper-1', opaque: 'words' },
  { name: 'translations', ...sound, defaultModel: 'whisper-1', opaque: 'words' },
];

/** What is asked for beside chat, by name. */
export const familySurfaces: ReadonlyMap<string, Surface> = new Map(specs.map((spec) => [spec.name, familySurface(spec)]));

/** What a request is told in that lacks something, by the family's name. */
export const familyRefusals: ReadonlyMap<string, RefusalCode> = new Map(
  specs.map(({ name, code = 'invalid_text_request' }) => [name, code]),
);
