import { refuse } from './strict.ts';

/** Efforts by model, as the vendor's pages have them; models of other vendors take any. */
function taken(model: string): string | undefined {
  if (/^(gpt-3|gpt-4|chatgpt)/.test(model) || /-chat/.test(model)) return '';
  if (/^o\d/.test(model)) return 'low medium high';
  if (/^gpt-5\.1/.test(model)) return 'none low medium high';
  if (/^gpt-5\.[2-5]/.test(model)) return 'none low medium high xhigh';
  if (/^gpt-(5\.6|6-sol|6-luna|6\.1-terra)/.test(model)) return 'none low medium high xhigh max';
  if (model.startsWith('gpt-6')) return 'low medium high xhigh max';
  return model.startsWith('gpt-5') ? 'minimal low medium high' : undefined;
}

/** What a model does that is not told how much to think. */
const idles = /^gpt-5\.[1-4]/;
const eitherInChat = /^gpt-(5\.[4-9]|6)/;
const neverInChat = /^gpt-6(-astra|\.1)/;

function isThinking(model: string, efforts: readonly string[], effort: unknown): boolean {
  if (efforts.length === 0 || effort === 'none') return false;
  return effort !== undefined || !idles.test(model);
}

/** Refuses functions in chat completions of a model that thinks. */
export function checkTools(model: string, effort: unknown, tools: readonly unknown[]): void {
  if (tools.length === 0 || !eitherInChat.test(model)) return;
  if (neverInChat.test(model) || isThinking(model, taken(model)?.split(' ') ?? [], effort))
    refuse(
      `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
    );
}

/** Refuses an effort, and ways of drawing tokens, that the model does not take. */
export function checkReasoning(model: string, effort: unknown, body: Record<string, unknown>): void {
  const { temperature, top_p, stop, top_logprobs } = body;
  const efforts = taken(model)?.split(' ').filter(Boolean);
  if (efforts === undefined) return;
  if (effort !== undefined && efforts.length === 0) refuse('Unrecognized request argument supplied: reasoning_effort');
  if (effort !== undefined && !efforts.includes(String(effort))) refuse(`reasoning_effort: ${String(effort)} is not supported`);
  if (!isThinking(model, efforts, effort)) return;
  if (temperature !== undefined && temperature !== 1) refuse('temperature: only the default is supported with this model');
  if (top_p !== undefined && top_p !== 1) refuse('top_p: not supported with this model');
  if (top_logprobs !== undefined) refuse('top_logprobs: not supported with this model');
  if (stop !== undefined) refuse('stop: not supported with this model');
}
