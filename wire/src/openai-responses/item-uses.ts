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
    if (this.size === 0 && billed === undefined) return said;
    return { ...Object.fromEntries(this.#uses), ...billed, ...said };
  }
}
