import { channelTypes } from '@tollgate/contract';
import type { JsonObject } from '@tollgate/wire';
import { type Provider, providerOf, type SignTools } from '../src/providers/index.ts';
import type { Asked, Outgoing } from '../src/relay/asked.ts';
import { canonical } from '../src/relay/converted.ts';
import { framingSink } from '../src/relay/decode.ts';
import { surfaceOf } from '../src/relay/surface.ts';
import { readUpload } from '../src/relay/upload.ts';
import { bodyFor, buildOutgoing } from '../src/relay/upstream-request.ts';
import { readChannelSetting } from '../src/routing/channel-setting.ts';
import type { RouteChannel } from '../src/routing/snapshot.ts';

/** A call as a caller makes it, and the channel it goes to. */
export interface Asking {
  readonly type: number;
  /** What the caller speaks; default `openai-chat`. */
  readonly protocol?: string;
  readonly body?: JsonObject | string;
  /** What the caller's path says. */
  readonly path?: { readonly model?: string; readonly stream?: boolean };
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: FormData;
  readonly channel?: Partial<RouteChannel>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly tools?: SignTools;
  readonly cap?: number;
  /** What the relay fetches, and whether it refuses losses. */
  readonly asked?: Partial<Pick<Asked, 'media' | 'strict'>>;
  /** Instead of the record of the type. */
  readonly provider?: Provider;
}

/** Tools of a signer that needs no exchange: a clock that stands at one moment. */
export function toolsAt(nowMs: number): SignTools {
  const never = () => Promise.reject(new Error('no exchange is expected'));
  return { nowMs, token: never, post: never };
}

const chatBody = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

/** What the relay would send, built by the relay's own code. */
export async function ask(asking: Asking): Promise<Outgoing> {
  const { asked, channel, provider } = await prepared(asking);
  return buildOutgoing(asked, channel, provider);
}

/** The same body, made as it is when it was sent before. */
export async function askedBefore(asking: Asking): Promise<Buffer | undefined> {
  const { asked, channel } = await prepared(asking);
  return bodyFor(asked, channel);
}

async function prepared(asking: Asking): Promise<{ asked: Asked; channel: RouteChannel; provider: Provider }> {
  const { type, protocol = 'openai-chat', body = chatBody, options = {}, headers = {}, query } = asking;
  const surface = surfaceOf(protocol);
  const provider = asking.provider ?? providerOf(type);
  if (surface === undefined || provider === undefined) throw new Error(`nobody speaks ${protocol} to ${type}`);
  const upload = asking.form === undefined ? undefined : await uploaded(asking.form);
  const text = upload === undefined ? body : upload.fields;
  const bytes = Buffer.from(typeof text === 'string' ? text : JSON.stringify(text));
  const result = surface.peekRequest(bytes, asking.path);
  if (!result.ok) throw new Error(result.reason);
  const inquiry = canonical({
    protocol,
    surface,
    bytes,
    peek: result.peek,
    query: query === undefined ? undefined : new URLSearchParams(query),
    header: (name) => headers[name],
    ...(upload === undefined ? {} : { upload }),
  });
  const asked: Asked = {
    inquiry,
    answerContext: { id: 'x', model: result.peek.model, created: 1, wantsUsage: true, promptEstimate: 1 },
    loweredCap: asking.cap,
    option: (name) => options[name],
    tools: asking.tools ?? toolsAt(Date.UTC(2026, 10, 20)),
    ...asking.asked,
  };
  return { asked, channel: { ...plainChannel(type), ...asking.channel }, provider };
}

/** Tools of a signer that trades its key for a token, without anybody to trade with. */
export const tradingTools: SignTools = { ...toolsAt(Date.UTC(2026, 10, 20)), token: () => Promise.resolve('traded') };

const account = JSON.stringify({ project_id: 'p', client_email: 'e', private_key: 'k' });
/** What some types cannot do without. */
const special: Readonly<Record<number, Partial<RouteChannel>>> = {
  15: { key: 'id|secret' },
  16: { key: 'id.secret' },
  18: { key: 'app|secret|key' },
  23: { key: '1|id|secret' },
  33: { key: 'id|secret|us-east-1' },
  39: { other: 'acc' },
  41: { key: account, other: 'us-central1' },
};

/** A channel of a type that lacks nothing. */
export function readyChannel(type: number): RouteChannel {
  const needsAddress = channelTypes.find((known) => known.type === type)?.needsAddress === true;
  return { ...plainChannel(type), ...(needsAddress ? { baseUrl: 'https://own.example' } : {}), ...special[type] };
}

function plainChannel(type: number): RouteChannel {
  return {
    id: 1,
    name: '',
    type,
    priority: 0,
    weight: 1,
    baseUrl: '',
    key: 'the-key',
    keys: [],
    organization: '',
    other: '',
    modelMapping: new Map(),
    statusMapping: new Map(),
    paramOverride: {},
    headerOverride: {},
    setting: readChannelSetting({}),
    autoBan: true,
    tag: '',
  };
}

async function uploaded(form: FormData) {
  const encoded = new Response(form);
  return readUpload(Buffer.from(await encoded.arrayBuffer()), encoded.headers.get('content-type') ?? '');
}

/** The body as JSON. */
export function sent({ body }: Outgoing): JsonObject {
  return JSON.parse(body.toString('utf8')) as JsonObject;
}

/** What the caller gets for a whole answer of the upstream's, and what was read of it. */
export function answered(outgoing: Outgoing, answer: JsonObject) {
  const reading = outgoing.answer.read(Buffer.from(JSON.stringify(answer)));
  if (reading.kind !== 'answer') return reading;
  return { ...reading, json: reading.body === undefined ? answer : (JSON.parse(reading.body.toString()) as JsonObject) };
}

/** What the caller gets for a stream of the upstream's, as text, and what was read of it. */
export function streamed({ answer }: Outgoing, bytes: Buffer) {
  const tap = answer.createTap({ swallowUsage: false });
  const out: Buffer[] = [];
  const keep = (chunk: Buffer | undefined) => chunk !== undefined && out.push(Buffer.from(chunk));
  let fault: unknown;
  const sink = framingSink(answer.framing, {
    data: (chunk) => keep(tap.push(chunk)),
    end: () => undefined,
    fault: (error) => {
      fault = error;
    },
  });
  sink.data(bytes);
  sink.end();
  const report = tap.end();
  keep(report.closing({ prompt: 1, completion: 1 }));
  return { text: Buffer.concat(out).toString('utf8'), report, fault };
}
