/** What an upstream says a call used. `cached` and `cacheWrite` are part of `prompt`, `reasoning` of `completion`. */
export interface TokenUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  /** Of `cacheWrite`: what is kept for hours instead of minutes; absent when 0. */
  readonly cacheWrite1h?: number;
  /** Of `prompt` and of `completion`; absent when 0. */
  readonly audioPrompt?: number;
  readonly imagePrompt?: number;
  readonly audioCompletion?: number;
  readonly imageCompletion?: number;
  /** Length of the sound that was heard; absent = the upstream did not say. Then both counts may be 0. */
  readonly seconds?: number;
  /** Figures were impossible and were clamped. */
  readonly anomaly: boolean;
}

const maxTokens = 100_000_000;

/** A figure of an upstream made usable; undefined = absent. */
export interface Figure {
  readonly value: number;
  readonly odd: boolean;
}

/** Absent (undefined or null) is 0; no number, a fraction or a value outside 0..1e8 is clamped and odd. */
export function readFigure(raw: unknown): Figure {
  if (raw === undefined || raw === null) return { value: 0, odd: false };
  if (typeof raw !== 'number' || Number.isNaN(raw)) return { value: 0, odd: true };
  const value = Math.min(maxTokens, Math.max(0, Math.ceil(raw)));
  return { value, odd: value !== raw };
}

/**
 * The vector from figures in which the prompt already includes cached tokens. Details larger than their whole are
 * clamped. Undefined when neither prompt nor completion is above 0: such a record says nothing.
 */
export function buildUsage(figures: {
  readonly prompt: Figure;
  readonly completion: Figure;
  readonly cached: Figure;
  readonly cacheWrite: Figure;
  readonly reasoning: Figure;
  readonly cacheWrite1h?: Figure;
  readonly audioPrompt?: Figure;
  readonly imagePrompt?: Figure;
  readonly audioCompletion?: Figure;
  readonly imageCompletion?: Figure;
}): TokenUsage | undefined {
  const prompt = figures.prompt.value;
  const completion = figures.completion.value;
  if (prompt === 0 && completion === 0) return undefined;
  const cached = Math.min(figures.cached.value, prompt);
  const cacheWrite = Math.min(figures.cacheWrite.value, prompt - cached);
  const reasoning = Math.min(figures.reasoning.value, completion);
  const media = mediaWithin(figures, prompt, completion);
  const lasting = lastingWithin(figures.cacheWrite1h?.value, cacheWrite);
  const clamped =
    cached !== figures.cached.value || cacheWrite !== figures.cacheWrite.value || reasoning !== figures.reasoning.value;
  const odd = isOdd(figures);
  return { prompt, completion, cached, cacheWrite, reasoning, ...lasting, ...media, anomaly: clamped || odd || prompt === 0 };
}

function isOdd(figures: Parameters<typeof buildUsage>[0]): boolean {
  for (const name in figures) if (figures[name as keyof typeof figures]?.odd === true) return true;
  return false;
}

function lastingWithin(cacheWrite1h: number | undefined, cacheWrite: number): Pick<TokenUsage, 'cacheWrite1h'> {
  const within = Math.min(cacheWrite1h ?? 0, cacheWrite);
  return within === 0 ? {} : { cacheWrite1h: within };
}

type Media = 'audioPrompt' | 'imagePrompt' | 'audioCompletion' | 'imageCompletion';

/** The media figures that are above 0, none larger than its whole. */
function mediaWithin(
  figures: Partial<Record<Media, Figure | number>>,
  prompt: number,
  completion: number,
): Partial<Record<Media, number>> {
  const within = (figure: Figure | number | undefined, whole: number) =>
    Math.min(typeof figure === 'number' ? figure : (figure?.value ?? 0), whole);
  const audioPrompt = within(figures.audioPrompt, prompt);
  const imagePrompt = within(figures.imagePrompt, prompt - audioPrompt);
  const audioCompletion = within(figures.audioCompletion, completion);
  const imageCompletion = within(figures.imageCompletion, completion - audioCompletion);
  if (audioPrompt + imagePrompt + audioCompletion + imageCompletion === 0) return {};
  return {
    ...(audioPrompt === 0 ? {} : { audioPrompt }),
    ...(imagePrompt === 0 ? {} : { imagePrompt }),
    ...(audioCompletion === 0 ? {} : { audioCompletion }),
    ...(imageCompletion === 0 ? {} : { imageCompletion }),
  };
}

/** Clamps the prompt to what it can have been; what was cached stays first, since it is the cheapest part. Undefined = any size. */
export function capPrompt(usage: TokenUsage, limit: number | undefined): TokenUsage {
  if (limit === undefined || usage.prompt <= limit) return usage;
  const { audioPrompt, imagePrompt, audioCompletion, imageCompletion, cacheWrite1h, ...rest } = usage;
  const cached = Math.min(usage.cached, limit);
  const cacheWrite = Math.min(usage.cacheWrite, limit - cached);
  const media = mediaWithin({ audioPrompt, imagePrompt, audioCompletion, imageCompletion }, limit, usage.completion);
  return { ...rest, prompt: limit, cached, cacheWrite, ...lastingWithin(cacheWrite1h, cacheWrite), ...media, anomaly: true };
}

/** How long an answer within a cap may be said to be, in tokens, all choices together: cap x 1.05 + 16. */
export function completionLimit(capTokens: number): number {
  return Math.ceil(capTokens * 1.05) + 16;
}

/** Clamps the completion to what the caller's cap allows. */
export function capUsage(usage: TokenUsage, capTokens: number | undefined): TokenUsage {
  if (capTokens === undefined) return usage;
  const limit = completionLimit(capTokens);
  if (usage.completion <= limit) return usage;
  const { audioCompletion, imageCompletion, ...rest } = usage;
  const media = mediaWithin({ audioCompletion, imageCompletion }, 0, limit);
  return { ...rest, completion: limit, reasoning: Math.min(usage.reasoning, limit), ...media, anomaly: true };
}

/**
 * Two records of one call: the later one holds. Figures only grow while a call runs, so a smaller later one is odd
 * and the larger stays.
 */
export function mergeUsage(before: TokenUsage | undefined, after: TokenUsage): TokenUsage {
  if (before === undefined) return after;
  const shrinks = after.prompt < before.prompt || after.completion < before.completion;
  if (!shrinks) return before.anomaly && !after.anomaly ? { ...after, anomaly: true } : after;
  const prompt = Math.max(before.prompt, after.prompt);
  const completion = Math.max(before.completion, after.completion);
  const cached = Math.min(after.cached, prompt);
  const cacheWrite = Math.min(after.cacheWrite, prompt - cached);
  return {
    prompt,
    completion,
    cached,
    cacheWrite,
    reasoning: Math.max(before.reasoning, after.reasoning),
    ...lastingWithin(after.cacheWrite1h, cacheWrite),
    ...mediaWithin({ ...before, ...after }, prompt, completion),
    anomaly: true,
  };
}
