import { asObject, asText, type JsonObject } from './json.ts';
import { readFigure } from './usage.ts';

/** How often an answer used each tool that its upstream runs itself, by the tool's name. 0 = it says so; absent = untold. */
export type ToolUses = Readonly<Record<string, number>>;

const figureName = /^([a-z][a-z0-9_]{0,31})_(?:requests|calls)$/;
const toolName = /^([a-z][a-z0-9_]{0,31})$/;
/** Members of a `usage` whose figures are called after a tool. */
const counting = [
  ['server_tool_use', figureName],
  ['server_side_tool_usage_details', figureName],
  ['tool_usage', toolName],
] as const;
const maxTools = 16;

/** What a `usage` object tells of hosted tools; undefined = nothing. */
export function readToolUses(usage: JsonObject | undefined): ToolUses | undefined {
  if (usage === undefined) return undefined;
  let uses: [string, number][] | undefined;
  for (const [member, names] of counting) {
    const figures = asObject(usage[member]);
    if (figures === undefined) continue;
    uses ??= [];
    for (const [name, figure] of Object.entries(figures)) {
      const tool = names.exec(name)?.[1];
      const isFigure = tool !== undefined && asObject(figure) === undefined;
      if (isFigure && uses.length < maxTools) uses.push([tool, readFigure(figure).value]);
    }
  }
  const searches = searchesIn(usage);
  if (searches !== undefined) uses = [...(uses ?? []), ['web_search', searches]];
  return uses === undefined || uses.length === 0 ? undefined : Object.fromEntries(uses);
}

/** Queries that are counted, or the word that it searched, or a plugin's searches. */
function searchesIn({ num_search_queries, search_context_size, plugins }: JsonObject): number | undefined {
  if (typeof num_search_queries === 'number') return readFigure(num_search_queries).value;
  if (asText(search_context_size) !== '') return 1;
  const search = plugins === undefined ? undefined : asObject(asObject(plugins)?.search);
  return search === undefined ? undefined : readFigure(search.count).value;
}
