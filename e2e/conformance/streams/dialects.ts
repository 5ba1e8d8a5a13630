import { chatVendor } from '../../support/mock/vendors/chat/answer.ts';
import type { Facts, Reply, Told } from '../../support/mock/vendors/facts.ts';
import { geminiVendor } from '../../support/mock/vendors/gemini/answer.ts';
import { messagesVendor } from '../../support/mock/vendors/messages/answer.ts';
import { responsesVendor } from '../../support/mock/vendors/responses/answer.ts';
import type { StreamPiece, Vendor } from '../../support/mock/vendors/vendor.ts';
import type { Column } from '../world.ts';

export const vendors: Readonly<Record<Column, Vendor>> = {
  'openai-chat': chatVendor,
  'openai-responses': responsesVendor,
  'anthropic-messages': messagesVendor,
  'gemini-generate': geminiVendor,
};

export const told: Told = { prompt: 1_000, cached: 200, write5m: 0, write1h: 0, completion: 300, reasoning: 0 };

/** A reply with that text, and what the vendor was asked. */
export function sceneOf(text: string): [Reply, Facts] {
  const reply: Reply = {
    thought: '',
    text,
    calls: [],
    refusal: '',
    finish: 'stop',
    stopSequence: null,
    failsAfterWords: undefined,
    told,
  };
  const facts: Facts = {
    model: 'm',
    stream: true,
    system: '',
    turns: [],
    tools: [],
    choice: 'auto',
    isParallel: true,
    stop: [],
    choices: 1,
    marks: [],
    speaks: false,
    wantsUsage: true,
  };
  return [reply, facts];
}

export function piecesOf(column: Column, text: string): readonly StreamPiece[] {
  return vendors[column].stream(...sceneOf(text));
}

/** The same as one body. */
export const wholeOf = (column: Column, text: string): Buffer =>
  Buffer.from(JSON.stringify(vendors[column].whole(...sceneOf(text))));

/** How a caller asks in a dialect, and what it reads of a streamed answer. */
export interface Caller {
  path(model: string, stream: boolean): string;
  body(model: string, stream: boolean): unknown;
  /** The text of one event. */
  textOf(event: Readonly<Record<string, never>>): string | undefined;
  /** The text of a whole answer. */
  wholeText(answer: Readonly<Record<string, never>>): string | undefined;
  /** Says that an answer is whole. */
  readonly terminator: RegExp;
}

const messages = [{ role: 'user', content: 'hi' }];

type Loose = Readonly<Record<string, never>>;
type Parts = { candidates?: { content?: { parts?: { text?: string }[] } }[] };

function partsText(answer: Loose): string | undefined {
  return (answer as Parts).candidates?.[0]?.content?.parts?.map(({ text = '' }) => text).join('');
}

export const callers: Readonly<Record<Column, Caller>> = {
  'openai-chat': {
    path: () => '/v1/chat/completions',
    body: (model, stream) => ({ model, stream, messages }),
    textOf: (event) => (event as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content,
    wholeText: (answer) => (answer as { choices?: { message?: { content?: string } }[] }).choices?.[0]?.message?.content,
    terminator: /data: ?\[DONE\]/,
  },
  'openai-responses': {
    path: () => '/v1/responses',
    body: (model, stream) => ({ model, stream, input: 'hi' }),
    textOf: (event) => (event.type === 'response.output_text.delta' ? event.delta : undefined),
    wholeText: (answer) => {
      const { output = [] } = answer as { output?: { content?: { text?: string }[] }[] };
      return output.flatMap(({ content = [] }) => content.map(({ text = '' }) => text)).join('');
    },
    terminator: /"type": ?"response\.completed"/,
  },
  'anthropic-messages': {
    path: () => '/v1/messages',
    body: (model, stream) => ({ model, stream, max_tokens: 200_000, messages }),
    textOf: (event) => (event as { delta?: { text?: string } }).delta?.text,
    wholeText: (answer) => (answer as { content?: { text?: string }[] }).content?.map(({ text = '' }) => text).join(''),
    terminator: /"type": ?"message_stop"/,
  },
  'gemini-generate': {
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
    textOf: partsText,
    wholeText: partsText,
    terminator: /"finishReason": ?"STOP"/,
  },
};

/** The text of a streamed answer, read as the standard has it; events that are no JSON count as nothing. */
export function readStream(caller: Caller, bytes: Buffer): string {
  const lines = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/);
  return lines
    .filter((line) => line.startsWith('data:'))
    .map((line) => {
      try {
        return caller.textOf(JSON.parse(line.slice(5)) as Loose) ?? '';
      } catch {
        return '';
      }
    })
    .join('');
}

/** The events that hold the words of the text, by position. */
export function isWord(column: Column, { data }: StreamPiece): boolean {
  return typeof data === 'object' && (callers[column].textOf(data as Loose) ?? '') !== '';
}
