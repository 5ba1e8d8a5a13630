import { completionLimit, type JsonScan, type TokenUsage } from '@tollgate/wire';
import { type PriceSnapshot, type Usage, unitsOfSeconds } from '../billing/index.ts';
import type { Tokenizer } from '../platform/tokenizer.ts';
import type { Call } from './call.ts';
import { families } from './families/index.ts';
import { type PromptSize, sizeDelivered, tokensOfSeconds } from './families/size.ts';
import type { Inquiry } from './inquiry.ts';
import { bytesPerToken, promptSizeOf } from './prompt-size.ts';
import type { Report } from './responder.ts';

/** What is known of an answer when its call ends. */
export interface AnswerReport extends Omit<Report, 'usage'> {
  /** The upstream's own figures, already checked; undefined when it gave none. */
  readonly usage: (Usage & Pick<TokenUsage, 'seconds'>) | undefined;
}

const mediaTokens = 255;
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

/** The usage to charge: the upstream's, else counted from the texts, else estimated (ledger, "What is charged"). At once when nothing must be counted. */
export function resolveUsage(
  tokenizer: Tokenizer,
  call: Pick<Call, 'model' | 'promptEstimate' | 'price' | 'capIsCallers' | 'completionCap'>,
  inquiry: Inquiry,
  report: AnswerReport,
): Usage | Promise<Usage> {
  const asked = report.usage === undefined || families.has(inquiry.protocol) ? promptSizeOf(inquiry) : undefined;
  // Tokens that the upstream told are the price of what it made.
  const isByPicture = report.usage === undefined || call.price.kind === 'call';
  const size = asked && isByPicture ? sizeDelivered(asked, report.pictures) : asked;
  const fewer = size === asked ? {} : fewerPictures(asked?.picture?.count, report.pictures);
  if (report.usage !== undefined) return { ...usageTold(call.price, size, report.usage), ...fewer };
  return countUsage(tokenizer, call, inquiry, report, size, { ...unitsIn(call.price, size), ...fewer });
}

function fewerPictures(
  picturesAsked: number | undefined,
  pictures: number | undefined,
): Pick<Usage, 'picturesAsked' | 'pictures'> {
  return picturesAsked === undefined || pictures === undefined ? {} : { picturesAsked, pictures };
}

/** An upstream's own figures as they are charged: its seconds as tokens where it told none, and as units at a price for one. */
export function usageTold(
  price: PriceSnapshot,
  size: Pick<PromptSize, 'seconds' | 'unitsNano'> | undefined,
  told: NonNullable<AnswerReport['usage']>,
): Usage {
  return withUnits(heard(told), unitsIn(price, size, told.seconds));
}

async function countUsage(
  tokenizer: Tokenizer,
  { model, promptEstimate, capIsCallers, completionCap }: Parameters<typeof resolveUsage>[1],
  inquiry: Inquiry,
  report: AnswerReport,
  size: PromptSize | undefined,
  units: Pick<Usage, 'unitsNano'>,
): Promise<Usage> {
  const { counts, counted } = await tokenizer.count(model, [...(size?.texts ?? []), report.text]);
  const said = wholeCount(counts.pop() ?? 0, report);
  // As of an upstream's own figures: more than the cap is nobody's order (decision 0149).
  const completion = Math.min(said, capIsCallers ? completionLimit(completionCap) : said);
  const anomaly = completion < said;
  const prompt = size === undefined ? promptEstimate : counts.reduce((sum, count) => sum + count, size.tokens);
  const isAnswered = completion > 0 || families.has(inquiry.protocol);
  const exact = counted && size !== undefined && isAnswered && report.unkeptBytes === 0;
  const source = exact ? 'counted' : 'estimated';
  if (report.promptUsage !== undefined) {
    const told = { ...report.promptUsage, anomaly: report.promptUsage.anomaly || anomaly };
    return withUnits({ ...told, completion, reasoning: 0, source }, units);
  }
  return withUnits({ ...plainUsage(prompt, completion, source), anomaly }, units);
}

/** Per-call prices that a call takes: seconds where the price is for one, as the upstream measured them, else as its bytes tell. */
export function unitsIn(
  price: PriceSnapshot,
  size: Pick<PromptSize, 'seconds' | 'unitsNano'> | undefined,
  measured?: number,
): Pick<Usage, 'unitsNano'> {
  const seconds = measured ?? size?.seconds;
  if (price.perSecond === true && seconds !== undefined) return { unitsNano: unitsOfSeconds(seconds) };
  return size?.unitsNano === undefined ? {} : { unitsNano: size.unitsNano };
}

/** An upstream that tells seconds instead of tokens (contract 6.8). */
function heard(report: NonNullable<AnswerReport['usage']>): Usage {
  if (report.seconds === undefined) return report;
  const { seconds, ...usage } = report;
  return usage.prompt + usage.completion > 0 ? usage : { ...usage, prompt: tokensOfSeconds(seconds) };
}

function withUnits(usage: Usage, units: Pick<Usage, 'unitsNano'>): Usage {
  return units.unitsNano === undefined ? usage : { ...usage, ...units };
}

/** What is not kept is taken to be as dense as what is, which is exact to a few percent in any language. */
function wholeCount(counted: number, { unkeptBytes, keptBytes = 0 }: AnswerReport): number {
  const tokensPerByte = keptBytes > 0 && counted > 0 ? counted / keptBytes : 1 / bytesPerToken;
  return counted + Math.ceil(unkeptBytes * tokensPerByte);
}

export function plainUsage(prompt: number, completion: number, source: Usage['source']): Usage {
  return { prompt, completion, cached: 0, cacheWrite: 0, reasoning: 0, source, anomaly: false };
}
