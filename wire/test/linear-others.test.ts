import { asText, block, broughtInAMoment, many, name, numbered, pieces, tooMany } from './linear-kit.ts';

const properties = numbered('p');
const held = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
/** More characters for each one. */
const longer = Array.from({ length: 2_000 }, (_, k) => `b${'_'.repeat(k)}`);
const backwards = (k: number) => `c${many - 1 - k}`;
const use = (id: string, k: number) => ({ type: 'tool_use', id, name: name(k), input: {} });
const sealed = () => ({ type: 'redacted_thinking', data: 'foreign.call.gemini-generate.c2ln' });
const responseCall = (id: string, k: number) => ({ type: 'function_call', call_id: id, name: name(k), arguments: '{}' });
const responseResult = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'ok' });
const functionCall = (k: number) => ({ functionCall: { name: name(k), args: {} } });
const functionResponse = (called: string) => ({ functionResponse: { name: called, response: { output: 'ok' } } });

broughtInAMoment('anthropic-messages', {
  'results of one turn, last one first': {
    messages: [
      { role: 'assistant', content: pieces((k) => use(`c${k}`, k)) },
      { role: 'user', content: pieces((k) => ({ type: 'tool_result', tool_use_id: backwards(k), content: 'ok' })) },
    ],
  },
  'calls and results without ids': {
    messages: [
      { role: 'assistant', content: pieces((k) => use('', k)) },
      { role: 'user', content: pieces(() => ({ type: 'tool_result', content: 'ok' })) },
    ],
  },
  'turns of the user': { messages: pieces(asText('user')) },
  'turns of several parts': { messages: pieces((k) => ({ role: 'assistant', content: [block(k), block(k)] })) },
  'parts and signatures of a call': {
    messages: [{ role: 'assistant', content: [use('c', 0), ...pieces(block), ...pieces(sealed)] }],
  },
  'instructions within': {
    messages: [{ role: 'user', content: pieces((k) => ({ type: 'mid_conv_system', content: [block(k)] }), tooMany) }],
  },
  instructions: { system: pieces(block), messages: [asText('user')(0)] },
  'properties that a model is held to': {
    messages: [asText('user')(0)],
    tools: [{ name: 'f', strict: true, input_schema: held }],
  },
});

broughtInAMoment('openai-responses', {
  'results of one turn, last one first': {
    input: [...pieces((k) => responseCall(`c${k}`, k)), ...pieces((k) => responseResult(backwards(k)))],
  },
  'calls with their results': {
    input: pieces((k) => (k % 2 === 0 ? responseCall(`c${k}`, k) : responseResult(`c${k - 1}`))),
  },
  'instructions between results': {
    input: [
      ...pieces((k) => responseCall(`c${k}`, k), many / 2),
      ...pieces((k) => (k % 2 === 0 ? responseResult(`c${k / 2}`) : asText('developer')(k))),
    ],
  },
  'functions of a name space that are called as others are': {
    input: [asText('user')(0)],
    tools: [
      ...longer.map((own) => ({ type: 'function', name: `a__${own}` })),
      { type: 'namespace', name: 'a', tools: longer.map((own) => ({ type: 'function', name: own })) },
    ],
  },
  'turns of the user': { input: pieces(asText('user')) },
  'turns of the model': { input: pieces(asText('assistant')) },
  'parts of the model': {
    input: [{ role: 'assistant', content: pieces((k) => ({ ...block(k), type: 'output_text' }), tooMany) }],
  },
  'parts of instructions': {
    input: [{ role: 'developer', content: pieces((k) => ({ ...block(k), type: 'input_text' }), tooMany) }, asText('user')(0)],
  },
  thoughts: { input: pieces((k) => ({ type: 'reasoning', id: `r${k}`, summary: [{ type: 'summary_text', text: `${k}` }] })) },
});

broughtInAMoment('gemini-generate', {
  'calls and results without ids': {
    contents: [
      { role: 'model', parts: pieces(functionCall) },
      { role: 'user', parts: pieces((k) => functionResponse(name(k))) },
    ],
  },
  'results of other functions': {
    contents: [
      { role: 'model', parts: pieces(functionCall) },
      { role: 'user', parts: pieces(() => functionResponse('another')) },
    ],
  },
  'chunks of an answer': { contents: pieces((k) => ({ role: 'model', parts: [{ text: `${k}` }] })) },
  'functions that may be called': {
    contents: [{ role: 'user', parts: [{ text: 'x' }] }],
    tools: [{ functionDeclarations: pieces((k) => ({ name: `c${k}` })) }],
    toolConfig: {
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: Array.from({ length: many }, (_, k) => backwards(k)) },
    },
  },
  'turns of the user': { contents: pieces((k) => ({ role: 'user', parts: [{ text: `${k}` }] })) },
  'parts of the user': { contents: [{ role: 'user', parts: pieces((k) => ({ text: `${k}` })) }] },
});
