import type { Dialect } from '../dialect.ts';
import { chatVendor } from './chat/answer.ts';
import { countContents, countInput, countMessages } from './counting.ts';
import { completionsVendor } from './families/completions.ts';
import { edits, generations, speech, transcriptions, variations } from './families/media.ts';
import { batchEmbed, cohereEmbed, decisions, embed, embeddings, moderations, rerank } from './families/texts.ts';
import { geminiVendor } from './gemini/answer.ts';
import { messagesVendor } from './messages/answer.ts';
import { responsesVendor } from './responses/answer.ts';
import { compaction } from './responses/compaction.ts';
import { chatRoute } from './vendor.ts';

/** The dialects as their vendors play them, by method and end of the path; the first that fits answers. */
export const vendorRoutes: readonly (readonly [route: string, dialect: Dialect])[] = [
  ['POST /chat/completions', chatRoute(chatVendor)],
  ['POST /completions', chatRoute(completionsVendor)],
  ['POST /responses', chatRoute(responsesVendor)],
  ['POST /messages', chatRoute(messagesVendor)],
  ['POST :generateContent', chatRoute(geminiVendor)],
  ['POST :streamGenerateContent', chatRoute(geminiVendor)],
  ['POST /count_tokens', countMessages],
  ['POST :countTokens', countContents],
  ['POST /responses/input_tokens', countInput],
  ['POST /responses/compact', compaction],
  ['POST /decisions', decisions],
  ['POST /embeddings', embeddings],
  ['POST :embedContent', embed],
  ['POST :batchEmbedContents', batchEmbed],
  ['POST /v2/embed', cohereEmbed],
  ['POST /rerank', rerank],
  ['POST /moderations', moderations],
  ['POST /images/generations', generations],
  ['POST /images/edits', edits],
  ['POST /images/variations', variations],
  ['POST /audio/speech', speech],
  ['POST /audio/transcriptions', transcriptions],
  ['POST /audio/translations', transcriptions],
];
