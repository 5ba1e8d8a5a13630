import { type chat, familySurfaces, type JsonObject } from '@tollgate/wire';
import type { Family } from '../../providers/index.ts';
import type { Upload } from '../upload.ts';
import { type PromptSize, sizeOfInput, sizeOfPictures, sizeOfRerank, sizeOfSpeech, tokensOfSeconds } from './size.ts';
import { secondsOf } from './sound.ts';

/** What is asked for beside chat, as the relay sees it. */
export interface FamilyRecord {
  readonly surface: chat.Surface;
  /** Requests are forms with files; the body that is read is the object of their text fields. */
  readonly isUpload: boolean;
  /** Only the length of its texts says what it costs. */
  readonly isText: boolean;
  /** Its answers may be sound or plain text: nothing can be said between their bytes. */
  readonly isOpaque: boolean;
  /** How big a request is: what is charged when the upstream does not say. */
  size(body: JsonObject, upload: Upload | undefined): PromptSize;
}

const sizes: Readonly<Record<Exclude<Family, 'realtime'>, FamilyRecord['size']>> = {
  embeddings: sizeOfInput,
  moderations: sizeOfInput,
  rerank: sizeOfRerank,
  images: sizeOfPictures,
  'image-edits': sizeOfPictures,
  'image-variations': sizeOfPictures,
  speech: sizeOfSpeech,
  transcriptions: sizeOfSound,
  translations: sizeOfSound,
};

const texts: ReadonlySet<string> = new Set(['embeddings', 'moderations', 'rerank']);
const opaque: ReadonlySet<string> = new Set(['speech', 'transcriptions', 'translations']);
const uploads: ReadonlySet<string> = new Set(['image-edits', 'image-variations', 'transcriptions', 'translations']);

function sizeOfSound(_body: JsonObject, upload: Upload | undefined): PromptSize {
  if (upload === undefined) return { texts: [], tokens: 0 };
  const seconds = secondsOf(upload.file.bytes);
  return { texts: [], tokens: tokensOfSeconds(seconds), seconds };
}

/** Every family by the name of its endpoint's protocol. */
export const families: ReadonlyMap<string, FamilyRecord> = new Map(
  Object.entries(sizes).flatMap(([family, size]) => {
    const surface = familySurfaces.get(family);
    const record = surface && {
      surface,
      isUpload: uploads.has(family),
      isText: texts.has(family),
      isOpaque: opaque.has(family),
      size,
    };
    return record === undefined ? [] : [[family, record]];
  }),
);
