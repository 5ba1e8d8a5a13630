import type { JsonObject } from '@tollgate/wire';
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
  readonly picture?: { readonly size: string; readonly quality: string };
}

const nano = 1_000_000_000;
/** A picture at a ratio instead of a price costs 0.0025 dollars times the ratio (contract 7.5): this many tokens. */
const tokensPerPicture = 1_250;

/** The texts of a member that is a string or a list of strings or token numbers. */
function inputTexts(value: unknown): { texts: string[]; tokens: number } {
  if (typeof value === 'string') return { texts: [value], tokens: 0 };
  if (!Array.isArray(value)) return { texts: [], tokens: 0 };
  const texts = value.filter((item) => typeof item === 'string');
  const tokens = value.flat().filter((item) => typeof item === 'number').length;
  return { texts, tokens };
}

export function sizeOfInput({ input }: JsonObject): PromptSize {
  return inputTexts(input);
}

export function sizeOfRerank({ query, documents }: JsonObject): PromptSize {
  const list = Array.isArray(documents) ? documents : [];
  const texts = list.map((document) => (typeof document === 'string' ? document : JSON.stringify(document)));
  return { texts: [String(query ?? ''), ...texts], tokens: 0 };
}

/** Characters for the models that are sold by them, tokens for the others (contract 6.8). */
export function sizeOfSpeech({ model, input }: JsonObject): PromptSize {
  const text = typeof input === 'string' ? input : '';
  return String(model ?? '').startsWith('tts-') ? { texts: [], tokens: [...text].length } : { texts: [text], tokens: 0 };
}

const sizeFactors: Readonly<Record<string, number>> = {
  '256x256': 400_000_000,
  '512x512': 450_000_000,
  '1024x1792': 2 * nano,
  '1792x1024': 2 * nano,
};

/** Number of pictures times size times quality (contract 7.5). */
export function sizeOfPictures(body: JsonObject): PromptSize {
  const { n, model } = body;
  const asked = typeof n === 'number' || typeof n === 'string' ? Number(n) : 1;
  const count = Number.isSafeInteger(asked) && asked > 0 ? asked : 1;
  const size = typeof body.size === 'string' ? body.size : '';
  const sizeNano = sizeFactors[size] ?? nano;
  const isHd = body.quality === 'hd' && typeof model === 'string' && model.startsWith('dall-e-3');
  const qualityNano = !isHd ? nano : sizeNano === nano ? 2 * nano : 1.5 * nano;
  const unitsNano = Math.round((sizeNano / nano) * qualityNano) * count;
  const picture = {
    size: /^\d{2,5}x\d{2,5}$/.test(size) ? size : '1024x1024',
    quality: body.quality === 'hd' ? 'hd' : 'standard',
  };
  const each = pictureTokens(String(model ?? ''), String(body.quality ?? ''), size);
  const answer = each === undefined ? {} : { answer: each * count };
  return { texts: [], tokens: Math.round((tokensPerPicture * unitsNano) / nano), unitsNano, picture, ...answer };
}

const tokensPerMinute = 1_000;

/** Sound by its length (contract 6.8): a thousand tokens a minute. */
export function tokensOfSeconds(seconds: number): number {
  return Math.round((Math.ceil(seconds) / 60) * tokensPerMinute);
}
