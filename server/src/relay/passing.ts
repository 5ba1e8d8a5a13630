import { chat, clientDialect, type EditPlan, findMember, type JsonObject, scanObject, splice } from '@tollgate/wire';
import { adapted } from './adapted.ts';
import { type AnswerPlan, crossingPlan, passingPlan } from './answer-plan.ts';
import type { Unsent } from './asked.ts';
import { type Building, defaultCap, isUntouched, otherName } from './builder.ts';
import { bodyOf, decodedRequest, echoed, type Inquiry } from './inquiry.ts';
import { inlined, namesMediaToFetch, ownMedia } from './media.ts';
import { prepareChannel, upstreamUrl } from './prepare-channel.ts';
import { systemPromptEdits, systemPromptOf, withSystemPrompt } from './system-prompt.ts';
import { answerChange } from './thoughts.ts';
import { fieldText, rebuildForm, type Upload } from './upload.ts';

/** The caller's bytes for an upstream of the same protocol, with the allowed edits. Throws or rejects with RelayFault. */
export function passing(building: Building): Unsent | Promise<Unsent> {
  const { asked, channel } = building;
  const { inquiry } = asked;
  const dialect = clientDialect(inquiry.protocol);
  if (dialect !== undefined && isUntouched(building)) return untouched(building, dialect);
  if (dialect === undefined) {
    const unsent = edited(building, undefined, new Map());
    return inquiry.upload === undefined ? unsent : withForm(unsent, inquiry.upload, inquiry);
  }
  const anew = retold(building, dialect);
  if (anew !== undefined) {
    const send = ({ edits, losses }: Retold) => withLosses(edited(building, dialect, edits), losses);
    return anew instanceof Promise ? anew.then(send) : send(anew);
  }
  const prompt = systemPromptOf(channel.setting);
  const { bytes, peek, protocol } = inquiry;
  return edited(building, dialect, prompt === undefined ? noEdits : systemPromptEdits(protocol, bytes, peek.scan, prompt));
}

function withLosses(unsent: Unsent, losses: readonly string[]): Unsent {
  return losses.length === 0 ? unsent : { ...unsent, losses: [...unsent.losses, ...losses] };
}

const noEdits: EditPlan = new Map();
/** Not every vendor takes them; the caller's frame with the usage is made here (contract 6.5). */
const noStreamOptions: EditPlan = new Map([['stream_options', null]]);

/** Every byte as it came; only a cap is lowered that the caller cannot pay for. */
function untouched(building: Building, dialect: chat.ClientDialect): Unsent {
  const { asked, provider, call } = building;
  const { bytes, peek } = asked.inquiry;
  const cap = asked.loweredCap;
  const capField = provider.capField?.(call.model);
  return made(building, dialect, cap === undefined ? bytes : dialect.editRequest(bytes, peek, { cap, capField }), false);
}

function edited(building: Building, dialect: chat.ClientDialect | undefined, edits: EditPlan): Unsent {
  const { asked, channel, provider, call, variant } = building;
  const { bytes, peek, surface } = asked.inquiry;
  const includeUsage = peek.stream && !peek.wantsUsage && provider.streamUsage;
  const isCapMissing = surface.needsCap === true && peek.cap === undefined;
  const { overrides } = prepareChannel(channel, provider);
  const isUnwanted = !provider.streamUsage && findMember(peek.scan, 'stream_options') !== undefined;
  const more = isUnwanted ? new Map([...noStreamOptions, ...edits]) : edits;
  const body = surface.editRequest(bytes, peek, {
    model: call.model,
    includeUsage,
    cap: asked.loweredCap ?? (isCapMissing ? defaultCap(asked, call.model) : undefined),
    capField: provider.capField?.(call.model),
    more: more.size === 0 ? overrides : new Map([...more, ...overrides]),
  });
  const adapts = provider.adapt !== undefined && provider.adapts?.(call) !== false;
  if (variant === undefined && !adapts) return made(building, dialect, body, includeUsage);
  const losses: string[] = [];
  const change: Change = (fields) => {
    const wanted = variant === undefined ? fields : variant.ask(fields, call);
    if (!adapts) return wanted;
    const result = adapted(wanted, provider, call);
    losses.push(...result.losses.filter((name) => !overrides.has(name)));
    return result.body;
  };
  const sent = changed(body, change, overrides);
  return { ...made(building, dialect, sent, includeUsage), losses };
}

type Change = (fields: JsonObject) => JsonObject;

/** The vendor's changes, spliced in as edits of top-level members; what the operator overrides stays as it is. */
function changed(bytes: Buffer, change: Change, overrides: EditPlan): Buffer {
  const result = scanObject(bytes);
  if (!result.ok) return bytes;
  const before = bodyOf(bytes);
  const edits = editsOf(before, change(before), JSON.stringify);
  for (const key of overrides.keys()) edits.delete(key);
  return splice(bytes, result.scan, edits);
}

/** What makes one object of the other, member by member. */
function editsOf(before: JsonObject, after: JsonObject, spell: (value: unknown) => string | null): Map<string, string | null> {
  const edits = new Map<string, string | null>();
  for (const key of Object.keys(before)) if (!(key in after)) edits.set(key, null);
  for (const [key, value] of Object.entries(after))
    if (value !== before[key]) edits.set(key, value === undefined ? null : spell(value));
  return edits;
}

function made(building: Building, dialect: chat.ClientDialect | undefined, body: Buffer, includeUsage: boolean): Unsent {
  const { channel, provider, call } = building;
  return {
    call,
    url: upstreamUrl(channel, provider, call),
    body,
    upstreamModel: otherName(building),
    swallowUsage: includeUsage,
    answer: answerPlan(building, dialect),
    losses: [],
    transport: provider.transport,
  };
}

/** The answer passes, too, unless the channel wants it told in another way: then it crosses to its own dialect. */
function answerPlan({ asked, channel, provider }: Building, dialect: chat.ClientDialect | undefined): AnswerPlan {
  const framing = provider.framing ?? 'sse';
  const { forceFormat } = channel.setting;
  const transform = answerChange(channel.setting);
  if (dialect === undefined || (!forceFormat && transform === undefined)) return passingPlan(asked.inquiry.surface, framing);
  const decoded = decodedRequest(asked.inquiry, dialect);
  const context = { ...asked.answerContext, ...(decoded.ok ? { request: echoed(decoded.request) } : {}) };
  return crossingPlan({ from: dialect, to: dialect, context, framing, transform });
}

/** Members that hold what is said, by dialect or spelling. */
const saying = ['messages', 'system', 'contents', 'systemInstruction', 'system_instruction', 'input', 'instructions'];
/** Who has no thoughts of its own to go on from must not be asked to think on. */
const sayingAndThinking = [...saying, 'thinking', 'context_management'];

/** What of a conversation may be lost when its media are fetched: some turn out to be what the dialect does not take. */
const mediaWords: ReadonlySet<string> = new Set(['image', 'file', 'audio']);

interface Retold {
  /** The members to be replaced. */
  readonly edits: EditPlan;
  readonly losses: readonly string[];
}

/**
 * The conversation told anew where its bytes cannot go as they are: it names media that this upstream does not fetch, or
 * holds thoughts that another dialect's model had, sealed for the caller, and this upstream refuses what it did not sign
 * itself. Undefined: it can.
 */
function retold(building: Building, dialect: chat.ClientDialect): Retold | Promise<Retold> | undefined {
  const { asked, channel, provider, call } = building;
  const { bytes } = asked.inquiry;
  const kept = ownMedia(provider, call.protocol);
  const mayFetch = kept !== undefined && asked.media !== undefined && namesMediaToFetch(bytes);
  const isSealed = dialect.holdsSealed?.(bytes) === true;
  const decoded = mayFetch || isSealed ? decodedRequest(asked.inquiry, dialect) : undefined;
  if (decoded?.ok !== true) return undefined;
  const spell = (request: chat.ChatRequest): Retold => {
    const context = {
      model: call.model,
      defaultMaxTokens: defaultCap(asked, call.model),
      extensions: chat.everyExtension,
    };
    const { body, losses } = dialect.encodeRequest(request, context);
    const keys = isSealed ? sayingAndThinking : saying;
    const edits = new Map<string, string | null>();
    for (const { key } of asked.inquiry.peek.scan.members) if (keys.includes(key)) edits.set(key, null);
    for (const key of keys) if (body[key] !== undefined) edits.set(key, JSON.stringify(body[key]));
    return { edits, losses: isSealed ? losses : losses.filter((word) => mediaWords.has(word)) };
  };
  const said = withSystemPrompt(decoded.request, systemPromptOf(channel.setting));
  const request = mayFetch ? inlined(said, kept, asked.media) : said;
  if (request instanceof Promise) return request.then(spell);
  return isSealed ? spell(request) : undefined;
}

/** The body of an upload was read as the object of its text fields; what changed in there changes in the form. */
async function withForm(unsent: Unsent, upload: Upload, { bytes, peek }: Inquiry): Promise<Unsent> {
  const before: JsonObject = JSON.parse(bytes.toString('utf8'));
  const edits = editsOf(before, JSON.parse(unsent.body.toString('utf8')), fieldText);
  if (edits.size === 0 && before.model === peek.model) return { ...unsent, body: upload.raw, contentType: upload.contentType };
  return { ...unsent, ...(await rebuildForm(upload.form, edits)) };
}
