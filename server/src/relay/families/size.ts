import { asNumber, asObject, asWord, entryOf, type JsonObject } from '@tollgate/wire';
import { nano } from '../../billing/index.ts';
import { pictureTokens } from '../../providers/index.ts';

/** How big a request is, before anybody has counted: texts to be counted, and tokens that are known without. */
export interface PromptSize {
  readonly texts: readonly string[];
  readonly tokens: number;
  /** Of sound: how long it is, as far as its bytes tell. */
  readonly seconds?: number;
  /** Per-call prices that the call takes, scaled by 1e9; absent = one. */
  readonly unitsNano?: number;
  /** Of pictures that are answered in tokens: how many it may come to. */
  readonly answer?: number;
  /** Of pictures: what is asked for, as the log says it. */
  readonly picture?: AskedPictures;
}

export interface AskedPictures {
  readonly size: string;
  readonly quality: string;
  readonly count: number;
}

/** A picture at a ratio instead of a price costs 0.0025 dollars times the ratio (contract 7.5): this many tokens. */
const tokensPerPicture = 1_250;

/** Of an input that is a string or a list of strings, token numbers, or parts with a text. */
export function sizeOfInput({ input }: JsonObject): PromptSize {
  if (typeof input === 'string') return { texts: [input], tokens: 0 };
  if (!Array.isArray(input)) return { texts: [], tokens: 0 };
  const said = input.map((item: unknown) => asObject(item)?.text ?? item);
  const texts = said.filter((item) => typeof item === 'string');
  const tokens = input.flat().filter((item) => typeof item === 'number').length;
  return { texts, tokens };
}

export function sizeOfRerank({ query, documents }: JsonObject): PromptSize {
  const list = Array.isArray(documents) ? documents : [];
  const texts = list.map((document) => (typeof document === 'string' ? document : JSON.stringify(document)));
  return { texts: [asWord(query), ...texts], tokens: 0 };
}

/** Characters for the models that are sold by them, tokens for the others (contract 6.8). */
export function sizeOfSpeech({ model, input }: JsonObject): PromptSize {
  const text = typeof input === 'string' ? input : '';
  return String(model ?? '').startsWith('tts-') ? { texts: [], tokens: charactersOf(text) } : { texts: [text], tokens: 0 };
}

/** One by one: a list of them would take a hundred times the memory of the text. */
function charactersOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}

const sizeFactors: Readonly<Record<string, number>> = {
  '256x256': 400_000_000,
  '512x512': 450_000_000,
  '1024x1792': 2 * nano,
  '1792x1024': 2 * nano,
};

/** As many as one request may name. */
const mostPictures = 128;
/** Of a set whose caller does not say how large it may be. */
const largestSet = 15;

/** The most that a request may be answered with: `n`, or a set of which the model chooses the size. */
function countAsked({ n, ...body }: JsonObject): number {
  const asked = asNumber(n);
  const count = Number.isSafeInteger(asked) && asked > 0 ? asked : 1;
  const { sequential_image_generation: set, sequential_image_generation_options: options } = body;
  if (set === undefined || set === null || set === 'disabled') return count;
  const most = asObject(options)?.max_images;
  const isSaid = typeof most === 'number' && Number.isSafeInteger(most) && most > 0;
  return Math.max(count, isSaid ? Math.min(most, mostPictures) : largestSet);
}

/** Number of pictures times size times quality (contract 7.5). */
export function sizeOfPictures(body: JsonObject): PromptSize {
  const { model } = body;
  const count = countAsked(body);
  const size = typeof body.size === 'string' ? body.size : '';
  const sizeNano = entryOf(sizeFactors, size) ?? nano;
  const isHd = body.quality === 'hd' && typeof model === 'string' && model.startsWith('dall-e-3');
  const qualityNano = !isHd ? nano : sizeNano === nano ? 2 * nano : 1.5 * nano;
  const unitsNano = Math.round((sizeNano / nano) * qualityNano) * count;
  const picture = {
    size: /^\d{2,5}x\d{2,5}$/.test(size) ? size : '1024x1024',
    quality: body.quality === 'hd' ? 'hd' : 'standard',
    count,
  };
  const each = pictureTokens(String(model ?? ''), asWord(body.quality), size);
  const answer = each === undefined ? {} : { answer: each * count };
  return { texts: [], tokens: tokensOfPictures(unitsNano), unitsNano, picture, ...answer };
}

function tokensOfPictures(unitsNano: number): number {
  return Math.round((tokensPerPicture * unitsNano) / nano);
}

/** What is charged of pictures where fewer came than were asked for. Undefined = nobody knows how many came: all of them. */
export function sizeDelivered(size: PromptSize, delivered: number | undefined): PromptSize {
  const { picture, unitsNano } = size;
  if (picture === undefined || unitsNano === undefined || delivered === undefined || delivered >= picture.count) return size;
  const units = (unitsNano / picture.count) * delivered;
  return { ...size, unitsNano: units, tokens: tokensOfPictures(units) };
}

const tokensPerMinute = 1_000;

/** Sound by its length (contract 6.8): a thousand tokens a minute. */
export function tokensOfSeconds(seconds: number): number {
  return Math.round((Math.ceil(seconds) / 60) * tokensPerMinute);
}
