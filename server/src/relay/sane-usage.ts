import { capPrompt, capUsage, letterEscapes, type TokenUsage } from '@tollgate/wire';
import type { Call } from './call.ts';
import { fewestBytesPerSecond } from './families/sound.ts';
import type { Inquiry } from './inquiry.ts';
import type { Report } from './responder.ts';

/** Beside any estimate: instructions of the upstream's and the channel's, and what a tool may bring. */
const allowance = 200_000;
/** The same where an upstream may read what is not in the body: pages, files, earlier answers, results of its own tools. */
const readingAllowance = 5_000_000;
/** No model answers longer; for callers who gave no limit of their own. */
const longestAnswer = 2_000_000;

/** Words of bodies and model names that let an upstream read by itself. One too many only widens the bound. */
const readingWords = [
  ...['http', 'gs://', 'file_id', 'fileUri', 'file_uri', 'cachedContent', 'cached_content', 'container', 'knowledge'],
  ...['previous_response_id', 'conversation', 'search', 'Search', 'fetch', 'browser', 'computer', 'mcp', 'retrieval'],
  ...letterEscapes,
  ...['code_interpreter', 'code_execution', 'codeExecution', 'url_context', 'urlContext', 'agent', 'plugin', 'bot_id'],
];

/** What went to the upstream that answered. */
interface Sent {
  readonly outgoing: { readonly upstreamModel: string | undefined };
  /** Undefined: nobody knows it any more. */
  sentBody(): Buffer | undefined;
}

/** The bound on what an upstream says: how many tokens of prompt and of answer it is believed; undefined = any number. */
interface Belief {
  readonly prompt: number | undefined;
  readonly completion: number | undefined;
}

type Facts = Pick<Call, 'promptCeiling' | 'capIsCallers' | 'completionCap'> & {
  readonly snapshot: { readonly options: { readonly UsagePromptFactor: number } };
};

/**
 * What may be charged of a report: an upstream's figures within what the call can have come to, decision 0025. Honest
 * figures pass as they are.
 */
export function saneReport(report: Report, call: Facts, inquiry: Inquiry, sent: Sent | undefined): Report {
  const { usage, promptUsage } = report;
  if (usage === undefined && promptUsage === undefined) return report;
  const believed = beliefOf(Math.max(usage?.prompt ?? 0, promptUsage?.prompt ?? 0), call, inquiry, sent);
  const seconds = beliefInSeconds(call, inquiry.upload?.file.bytes.length);
  const sane = (own: TokenUsage) => capSeconds(capUsage(capPrompt(own, believed.prompt), believed.completion), seconds);
  return {
    ...report,
    usage: usage && sane(usage),
    ...(promptUsage === undefined ? {} : { promptUsage: sane(promptUsage) }),
  };
}

/**
 * The same for one turn of a session: what it hears is what the session holds, whose size we do not know. `soundBytes`: of
 * all sound in the session, which bounds the length of what is written down of it.
 */
export function saneTurn(usage: TokenUsage, call: Pick<Facts, 'snapshot'>, soundBytes?: number): TokenUsage {
  if (call.snapshot.options.UsagePromptFactor === 0) return usage;
  const sane = capUsage(capPrompt(usage, readingAllowance), longestAnswer);
  return capSeconds(sane, beliefInSeconds(call, soundBytes));
}

const secondsAllowance = 60;

function beliefInSeconds({ snapshot }: Pick<Facts, 'snapshot'>, soundBytes: number | undefined): number | undefined {
  if (soundBytes === undefined || snapshot.options.UsagePromptFactor === 0) return undefined;
  return soundBytes / fewestBytesPerSecond + secondsAllowance;
}

function capSeconds(usage: TokenUsage, limit: number | undefined): TokenUsage {
  const isHonest = usage.seconds === undefined || limit === undefined || usage.seconds <= limit;
  return isHonest ? usage : { ...usage, seconds: limit, anomaly: true };
}

function beliefOf(claimed: number, call: Facts, inquiry: Inquiry, sent: Sent | undefined): Belief {
  const factor = call.snapshot.options.UsagePromptFactor;
  const cap = call.capIsCallers ? call.completionCap : undefined;
  if (factor === 0) return { prompt: undefined, completion: cap };
  const completion = cap ?? longestAnswer * inquiry.peek.n;
  const { upload } = inquiry;
  const mediaBytes = inquiry.peek.scan.mediaBytes + (upload?.raw.length ?? 0);
  // No token is shorter than a byte, whatever a file holds.
  const own = Math.ceil(call.promptCeiling * factor) + mediaBytes;
  const isPlain = claimed <= own + allowance || !mayRead(inquiry, sent);
  return { prompt: own + (isPlain ? allowance : readingAllowance), completion };
}

function mayRead({ bytes, peek }: Inquiry, sent: Sent | undefined): boolean {
  const names = `${peek.model} ${sent?.outgoing.upstreamModel ?? ''}`;
  if (readingWords.some((word) => bytes.includes(word) || names.includes(word))) return true;
  const body = sent?.sentBody();
  return body !== undefined && readingWords.some((word) => body.includes(word));
}
