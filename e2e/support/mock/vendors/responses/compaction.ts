import { type Dialect, jsonAnswer } from '../../dialect.ts';
import * as strict from '../strict.ts';
import { guarded, tell } from '../vendor.ts';
import { responsesVendor } from './answer.ts';

const known =
  'model input instructions previous_response_id prompt_cache_key prompt_cache_retention service_tier tools parallel_tool_calls reasoning text';
/** What stands for all that was said. */
export const compacted = { type: 'compaction', id: 'cmp_vendor1', encrypted_content: 'compacted-by-responses' };
const told = { prompt: 900, cached: 0, write5m: 0, write1h: 0, completion: 60, reasoning: 0 };

/** A conversation becomes what its user said, and one item for everything else. */
export const compaction: Dialect = guarded(responsesVendor.error, (request) => {
  const { input } = strict.only(request.json, 'body', known);
  const items = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : strict.list(input, 'input');
  const said = items.map((item) => strict.object(item, 'input')).filter(({ role }) => role === 'user');
  tell(request, told);
  return jsonAnswer(200, {
    id: 'resp_vendor2',
    object: 'response.compaction',
    created_at: 1_764_967_971,
    output: [...said, compacted],
    usage: {
      input_tokens: told.prompt,
      input_tokens_details: { cached_tokens: told.cached, cache_write_tokens: 0 },
      output_tokens: told.completion,
      output_tokens_details: { reasoning_tokens: told.reasoning },
      total_tokens: told.prompt + told.completion,
    },
  });
});
