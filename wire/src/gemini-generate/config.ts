import type { ChatRequest, Modality, OutputFormat } from '../chat/request.ts';
import { asObject, asText, type JsonObject } from '../json.ts';
import { camelKeys, given, numberOf, textsOf } from './fields.ts';
import { readThinking, saysUnknownLevel, thinkingConfig } from './reasoning.ts';
import { cleanSchema, readSchema } from './schema.ts';

const modalities: readonly Modality[] = ['text', 'audio', 'image'];
const maxStops = 5;
/** Voices that only another dialect knows; any other name may be one of the upstream's. */
const foreignVoices = 'alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse'.split(' ');

type Settings = Partial<ChatRequest> & Pick<ChatRequest, 'stop' | 'choices'>;

/** Reads `generationConfig`. Members without a word in the IR go into `extra` as `generationConfig.<name>`. */
export function readConfig(raw: unknown, extra: JsonObject): Settings {
  const config = camelKeys(asObject(raw) ?? {});
  const left = new Map(Object.entries(config));
  const take = (name: string): unknown => {
    left.delete(name);
    return config[name];
  };
  const number = (name: string) => numberOf(take(name));
  const choices = number('candidateCount') ?? 1;
  const settings: Settings = {
    ...given('maxTokens', number('maxOutputTokens') || undefined),
    ...given('temperature', number('temperature')),
    ...given('topP', number('topP')),
    ...given('topK', number('topK')),
    ...given('seed', number('seed')),
    ...given('presencePenalty', number('presencePenalty')),
    ...given('frequencyPenalty', number('frequencyPenalty')),
    stop: textsOf(take('stopSequences')),
    choices: Number.isInteger(choices) && choices > 1 ? choices : 1,
    ...given('logprobs', readCount(take('responseLogprobs'), numberOf(take('logprobs')))),
    ...given('reasoning', readReasoning(config.thinkingConfig, left)),
    ...given('modalities', readModalities(config.responseModalities, left)),
    ...given('audioOut', readSpeech(config.speechConfig, left)),
    ...given('output', readOutput(config, left)),
  };
  for (const [name, value] of left) extra[`generationConfig.${name}`] = value;
  return settings;
}

function readReasoning(raw: unknown, left: Map<string, unknown>): ChatRequest['reasoning'] {
  const reasoning = readThinking(raw);
  if (reasoning !== undefined && !saysUnknownLevel(raw)) left.delete('thinkingConfig');
  return reasoning;
}

function readCount(flag: unknown, count: number | undefined): number | undefined {
  return flag === true ? (count ?? 0) : undefined;
}

function readModalities(raw: unknown, left: Map<string, unknown>): Modality[] | undefined {
  const words = textsOf(raw).map((word) => word.toLowerCase());
  const known = modalities.filter((modality) => words.includes(modality));
  if (known.length === words.length) left.delete('responseModalities');
  return known.length === 0 ? undefined : known;
}

/** One prebuilt voice is a voice of the IR; anything else stays as it is. */
function readSpeech(raw: unknown, left: Map<string, unknown>): ChatRequest['audioOut'] {
  const { voiceConfig, ...rest } = camelKeys(asObject(raw) ?? {});
  const { prebuiltVoiceConfig, ...otherVoices } = camelKeys(asObject(voiceConfig) ?? {});
  const voice = asText(camelKeys(asObject(prebuiltVoiceConfig) ?? {}).voiceName);
  if (voice === '' || Object.keys(rest).length + Object.keys(otherVoices).length > 0) return undefined;
  left.delete('speechConfig');
  return { voice, format: 'pcm16' };
}

function readOutput(config: JsonObject, left: Map<string, unknown>): OutputFormat | undefined {
  const type = asText(config.responseMimeType);
  if (type === 'text/plain') left.delete('responseMimeType');
  if (type !== 'application/json') return undefined;
  const open = asObject(config.responseSchema);
  const schema = asObject(config.responseJsonSchema) ?? (open === undefined ? undefined : readSchema(open));
  for (const name of ['responseMimeType', 'responseSchema', 'responseJsonSchema']) left.delete(name);
  return schema === undefined ? { kind: 'json' } : { kind: 'schema', name: 'response', schema };
}

/** Spells `generationConfig`; `own` = the fields that a request of this dialect brought along. */
export function writeConfig(request: ChatRequest, model: string, own: JsonObject | undefined, losses: Set<string>): JsonObject {
  const { stop, choices, logprobs, reasoning } = request;
  if (stop.length > maxStops && own === undefined) losses.add('stop');
  const seed = own === undefined ? sayableSeed(request.seed, losses) : request.seed;
  return {
    ...given('temperature', request.temperature),
    ...given('topP', request.topP),
    ...given('topK', request.topK),
    ...given('maxOutputTokens', request.maxTokens),
    ...given('seed', seed),
    ...given('presencePenalty', request.presencePenalty),
    ...given('frequencyPenalty', request.frequencyPenalty),
    ...(stop.length === 0 ? {} : { stopSequences: own === undefined ? stop.slice(0, maxStops) : stop }),
    ...(choices === 1 ? {} : { candidateCount: choices }),
    ...(logprobs === undefined ? {} : { responseLogprobs: true, ...(logprobs === 0 ? {} : { logprobs }) }),
    ...given('thinkingConfig', reasoning === undefined ? undefined : thinkingConfig(reasoning, model, losses)),
    ...writeModalities(request.modalities, own, losses),
    ...writeSpeech(request.audioOut, losses),
    ...writeOutput(request.output, own, losses),
    ...ownConfig(own),
  };
}

/** Seeds have 32 bits here; a longer one is refused. */
function sayableSeed(seed: number | undefined, losses: Set<string>): number | undefined {
  if (seed === undefined || seed === (seed | 0)) return seed;
  losses.add('seed');
  return undefined;
}

/** Sound comes alone here: the text of a spoken answer is not told. */
function writeModalities(wanted: readonly Modality[] | undefined, own: JsonObject | undefined, losses: Set<string>): JsonObject {
  if (wanted === undefined || (own === undefined && wanted.every((word) => word === 'text'))) return {};
  const isSpoken = own === undefined && wanted.includes('audio');
  if (isSpoken && wanted.length > 1) losses.add('modalities');
  const words = isSpoken ? (['audio'] as const) : wanted;
  return { responseModalities: words.map((word) => word.toUpperCase()) };
}

function writeSpeech(audioOut: ChatRequest['audioOut'], losses: Set<string>): JsonObject {
  if (audioOut === undefined) return {};
  const { voice, format } = audioOut;
  if (format !== 'pcm16') losses.add('audio');
  if (foreignVoices.includes(voice)) {
    losses.add('audio');
    return {};
  }
  return { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } } };
}

function writeOutput(output: OutputFormat | undefined, own: JsonObject | undefined, losses: Set<string>): JsonObject {
  if (output === undefined) return {};
  const responseMimeType = 'application/json';
  if (output.kind === 'json') return { responseMimeType };
  if (own !== undefined) return { responseMimeType, responseJsonSchema: output.schema };
  const { schema, isLossy } = cleanSchema(output.schema);
  if (isLossy) losses.add('json_schema');
  return { responseMimeType, responseSchema: withoutTitles(schema) };
}

/** Answers are shaped by what their schema limits; its titles only cost tokens (contract 6.13). */
function withoutTitles(schema: JsonObject): JsonObject {
  const { title: _, ...rest } = schema;
  const out: JsonObject = { ...rest };
  const properties = asObject(out.properties);
  if (properties !== undefined) {
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, withoutTitles(asObject(value) ?? {})]),
    );
  }
  const items = asObject(out.items);
  if (items !== undefined) out.items = withoutTitles(items);
  if (Array.isArray(out.anyOf)) out.anyOf = out.anyOf.map((option) => withoutTitles(asObject(option) ?? {}));
  return out;
}

function ownConfig(own: JsonObject | undefined): JsonObject {
  const prefix = 'generationConfig.';
  const entries = Object.entries(own ?? {}).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(prefix.length), value]));
}
