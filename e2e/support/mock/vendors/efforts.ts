import { refuse } from './strict.ts';

/** Efforts by model, as the vendor's pages have them; models of other vendors take any. */
function taken(model: string): string | undefined {
  if (/^(gpt-3|gpt-4|chatgpt)/.test(model) || /-chat/.test(model)) return '';
  if (/^o\d/.test(model)) return 'low medium high';
  if (/^gpt-5\.1/.test(model)) return 'none low medium high';
  if (/^gpt-5\.\d/.test(model)) return 'none low medium high xhigh';
  return model.startsWith('gpt-5') ? 'minimal low medium high' : undefined;
}

/** Refuses an effort, and ways of drawing tokens, that the model does not take. */
export function checkReasoning(model: string, effort: unknown, { temperature, top_p, stop }: Record<string, unknown>): void {
  const efforts = taken(model)?.split(' ').filter(Boolean);
  if (efforts === undefined) return;
  if (effort !== undefined && efforts.length === 0) refuse('Unrecognized request argument supplied: reasoning_effort');
  if (effort !== undefined && !efforts.includes(String(effort))) refuse(`reasoning_effort: ${String(effort)} is not supported`);
  const thinks = efforts.length > 0 && (!efforts.includes('none') || (effort !== undefined && effort !== 'none'));
  if (!thinks) return;
  if (temperature !== undefined && temperature !== 1) refuse('temperature: only the default is supported with this model');
  if (top_p !== undefined && top_p !== 1) refuse('top_p: not supported with this model');
  if (stop !== undefined) refuse('stop: not supported with this model');
}
