import type { Dialect } from '../dialect.ts';
import { chatVendor } from './chat/answer.ts';
import { geminiVendor } from './gemini/answer.ts';
import { messagesVendor } from './messages/answer.ts';
import { responsesVendor } from './responses/answer.ts';
import { chatRoute } from './vendor.ts';

/** The dialects as their vendors play them, by method and end of the path. */
export const vendorRoutes: readonly (readonly [route: string, dialect: Dialect])[] = [
  ['POST /chat/completions', chatRoute(chatVendor)],
  ['POST /responses', chatRoute(responsesVendor)],
  ['POST /messages', chatRoute(messagesVendor)],
  ['POST :generateContent', chatRoute(geminiVendor)],
  ['POST :streamGenerateContent', chatRoute(geminiVendor)],
];
