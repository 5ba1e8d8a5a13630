import { asObject, asText, entryOf, type JsonObject } from '../json.ts';
import { readToolUses, type ToolUses } from '../tool-uses.ts';
import { readFigure } from '../usage.ts';

/** Items that are one use of a hosted tool each. */
const tools: Readonly<Record<string, string>> = {
  web_search_call: 'web_search',
  file_search_call: 'file_search',
  code_interpreter_call: 'code_interpreter',
  // In a container of the upstream's, which is billed alike.
  shell_call: 'code_interpreter',
  image_generation_call: 'image_generation',
  mcp_call: 'mcp',
};

/** Counts the uses of hosted tools, item by item. */
export class ItemUses {
  readonly #uses = new Map<string, number>();
  readonly #containers = new Set<string>();
  /** Of what was counted. */
  size = 0;

  add(item: JsonObject): void {
    const tool = entryOf(tools, asText(item.type));
    if (tool === undefined || item.status === 'failed' || !this.#isUse(item)) return;
    this.#uses.set(tool, (this.#uses.get(tool) ?? 0) + 1);
    this.size += 1;
  }

  /**
   * A page that is opened is no search. A container is paid for once, however often code runs in it, and commands that
   * the caller runs have none.
   */
  #isUse({ type, action, container_id, environment }: JsonObject): boolean {
    if (type === 'web_search_call') return (asText(asObject(action)?.type) || 'search') === 'search';
    if (type !== 'code_interpreter_call' && type !== 'shell_call') return true;
    const container = asText(container_id ?? asObject(environment)?.container_id);
    if (container === '' && type === 'shell_call') return false;
    if (this.#containers.has(container)) return false;
    this.#containers.add(container);
    return true;
  }

  /** With what the answer's own figures tell, which hold: what is billed is not always one search an item. Undefined = nothing. */
  told({ usage, tool_usage }: JsonObject = {}): ToolUses | undefined {
    const said = readToolUses(asObject(usage));
    const searches = asObject(asObject(tool_usage)?.web_search)?.num_requests;
    const billed = typeof searches === 'number' ? { web_search: readFigure(searches).value } : undefined;
    const drawn = drawnTokens(asObject(asObject(tool_usage)?.image_gen));
    if (this.size === 0 && billed === undefined && drawn === undefined) return said;
    return { ...Object.fromEntries(this.#uses), ...billed, ...drawn, ...said };
  }
}

/**
 * What the model that draws took for all pictures, each kind of token by itself, as it is billed beside the base model's. Of an
 * answer that splits its output no further all are a picture's, and of one that splits no cached ones none were cached.
 */
function drawnTokens(told: JsonObject | undefined): ToolUses | undefined {
  if (told === undefined) return undefined;
  const figure = (value: unknown) => readFigure(value).value;
  const input = figure(told.input_tokens);
  const inputImage = Math.min(figure(asObject(told.input_tokens_details)?.image_tokens), input);
  const cached = asObject(told.cached_tokens_details);
  const cachedImage = Math.min(figure(cached?.cached_image_tokens), inputImage);
  const cachedText = Math.min(figure(cached?.cached_text_tokens), input - inputImage);
  const output = figure(told.output_tokens);
  const outputText = Math.min(figure(asObject(told.output_tokens_details)?.text_tokens), output);
  const tokens = Object.entries({
    image_gen_input_text_tokens: input - inputImage - cachedText,
    image_gen_input_image_tokens: inputImage - cachedImage,
    image_gen_cached_text_tokens: cachedText,
    image_gen_cached_image_tokens: cachedImage,
    image_gen_output_text_tokens: outputText,
    image_gen_output_image_tokens: output - outputText,
  }).filter(([, count]) => count > 0);
  return tokens.length === 0 ? undefined : Object.fromEntries(tokens);
}
