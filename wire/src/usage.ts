/** What an upstream says a call used. `cached` and `cacheWrite` are part of `prompt`, `reasoning` of `completion`. */
export interface TokenUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
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
}): TokenUsage | undefined {
  const prompt = figures.prompt.value;
  const completion = figures.completion.value;
  if (prompt === 0 && completion === 0) return undefined;
  const cached = Math.min(figures.cached.value, prompt);
  const cacheWrite = Math.min(figures.cacheWrite.value, prompt - cached);
  const reasoning = Math.min(figures.reasoning.value, completion);
  const clamped =
    cached !== figures.cached.value || cacheWrite !== figures.cacheWrite.value || reasoning !== figures.reasoning.value;
  const odd = Object.values(figures).some((figure) => figure.odd);
  return { prompt, completion, cached, cacheWrite, reasoning, anomaly: clamped || odd || prompt === 0 };
}

/** Clamps the completion to what the caller's cap allows (cap x 1.05 + 16, all choices together). */
export function capUsage(usage: TokenUsage, capTokens: number | undefined): TokenUsage {
  if (capTokens === undefined) return usage;
  const limit = Math.ceil(capTokens * 1.05) + 16;
  if (usage.completion <= limit) return usage;
  return { ...usage, completion: limit, reasoning: Math.min(usage.reasoning, limit), anomaly: true };
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
  const cached = Math.min(after.cached, prompt);
  return {
    prompt,
    completion: Math.max(before.completion, after.completion),
    cached,
    cacheWrite: Math.min(after.cacheWrite, prompt - cached),
    reasoning: Math.max(before.reasoning, after.reasoning),
    anomaly: true,
  };
}
