import type { JsonScan, TokenUsage } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import type { Tokenizer } from '../platform/tokenizer.ts';
import { families } from './families/index.ts';
import type { Inquiry } from './inquiry.ts';
import { promptSizeOf } from './prompt-size.ts';

/** What is known of an answer when its call ends. */
export interface AnswerReport {
  /** The upstream's own figures, already checked; undefined when it gave none. */
  readonly usage: Usage | undefined;
  /** Delivered text, as far as it is kept. */
  readonly text: string;
  /** Bytes of delivered text that `text` lacks. */
  readonly unkeptBytes: number;
  /** The upstream's figures for the prompt alone. */
  readonly promptUsage?: TokenUsage;
}

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
  { model, promptEstimate }: { readonly model: string; readonly promptEstimate: number },
  inquiry: Inquiry,
  report: AnswerReport,
): Promise<Usage> {
  const size = report.usage === undefined || families.has(inquiry.protocol) ? promptSizeOf(inquiry) : undefined;
  const units = size?.unitsNano === undefined ? {} : { unitsNano: size.unitsNano };
  if (report.usage !== undefined) return { ...report.usage, ...units };
  const { counts, counted } = await tokenizer.count(model, [...(size?.texts ?? []), report.text]);
  const completion = (counts.pop() ?? 0) + Math.ceil(report.unkeptBytes / bytesPerToken);
  const prompt = size === undefined ? promptEstimate : counts.reduce((sum, count) => sum + count, size.tokens);
  const isAnswered = completion > 0 || families.has(inquiry.protocol);
  const exact = counted && size !== undefined && isAnswered && report.unkeptBytes === 0;
  const source = exact ? 'counted' : 'estimated';
  if (report.promptUsage !== undefined) return { ...report.promptUsage, completion, reasoning: 0, source, ...units };
  return { ...plainUsage(prompt, completion, source), ...units };
}

export function plainUsage(prompt: number, completion: number, source: Usage['source']): Usage {
  return { prompt, completion, cached: 0, cacheWrite: 0, reasoning: 0, source, anomaly: false };
}
