import type { JsonScan } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import type { Tokenizer } from '../platform/tokenizer.ts';

/** What is known of an answer when its call ends. */
export interface AnswerReport {
  /** The upstream's own figures, already checked; undefined when it gave none. */
  readonly usage: Usage | undefined;
  /** Delivered text, as far as it is kept. */
  readonly text: string;
  /** Bytes of delivered text that `text` lacks. */
  readonly unkeptBytes: number;
}

/** Longer prompts are not tokenised: the byte heuristic answers. */
const maxCountedBytes = 1024 * 1024;
const messageOverhead = 3;
const replyOverhead = 3;
const mediaTokens = 255;
const bytesPerToken = 4;
/** No common tokenizer makes more than one token of three bytes on average. */
const fewestBytesPerToken = 3;
/** The dearest inline media: a document (contract 6.8). */
const mediaCeiling = 5_000;

/** Prompt size from the scanned bytes alone, in tokens: the most it can be, and what it likely is. */
export function estimatePrompt(scan: JsonScan): { ceiling: number; likely: number } {
  return {
    ceiling: Math.ceil(scan.textBytes / fewestBytesPerToken) + scan.mediaCount * mediaCeiling,
    likely: Math.ceil(scan.textBytes / bytesPerToken) + scan.mediaCount * mediaTokens,
  };
}

/** The usage to charge: the upstream's, else counted from the texts, else estimated (ledger, "What is charged"). */
export async function resolveUsage(
  tokenizer: Tokenizer,
  model: string,
  body: Buffer,
  promptEstimate: number,
  report: AnswerReport,
): Promise<Usage> {
  if (report.usage !== undefined) return report.usage;
  const prompt = promptTexts(body);
  const { counts, counted } = await tokenizer.count(model, [...(prompt?.texts ?? []), report.text]);
  const completion = (counts.pop() ?? 0) + Math.ceil(report.unkeptBytes / bytesPerToken);
  const promptTokens = prompt === undefined ? promptEstimate : counts.reduce((sum, count) => sum + count, prompt.overhead);
  const exact = counted && prompt !== undefined && completion > 0 && report.unkeptBytes === 0;
  return plainUsage(promptTokens, completion, exact ? 'counted' : 'estimated');
}

export function plainUsage(prompt: number, completion: number, source: Usage['source']): Usage {
  return { prompt, completion, cached: 0, cacheWrite: 0, reasoning: 0, source, anomaly: false };
}

/** Texts of a chat prompt and the tokens that are not text (contract 6.8). Undefined: too large or not readable. */
function promptTexts(body: Buffer): { texts: string[]; overhead: number } | undefined {
  if (body.length > maxCountedBytes) return undefined;
  const texts: string[] = [];
  let overhead = replyOverhead;
  try {
    const { messages, tools } = JSON.parse(body.toString()) as { messages?: unknown; tools?: unknown };
    if (!Array.isArray(messages)) return undefined;
    for (const message of messages as Record<string, unknown>[]) {
      overhead += messageOverhead;
      texts.push(String(message.role ?? ''));
      overhead += collectContent(message.content, texts);
      if (message.tool_calls !== undefined) texts.push(JSON.stringify(message.tool_calls));
    }
    if (tools !== undefined) texts.push(JSON.stringify(tools));
    return { texts, overhead };
  } catch {
    return undefined;
  }
}

function collectContent(content: unknown, texts: string[]): number {
  if (typeof content === 'string') texts.push(content);
  if (!Array.isArray(content)) return 0;
  let media = 0;
  for (const part of content as Record<string, unknown>[]) {
    if (typeof part.text === 'string') texts.push(part.text);
    else media += mediaTokens;
  }
  return media;
}
