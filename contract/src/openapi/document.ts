import * as z from 'zod/mini';
import { flag } from '../fields.ts';
import { routes } from '../index.ts';
import type { Access, Method, RouteDefinition } from '../route.ts';
import answerShapes from './answers.json' with { type: 'json' };
import { summaries } from './summaries.ts';

export type ApiLanguage = 'zh' | 'en';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  /** Who may call it (contract 1.2). */
  readonly 'x-access': Access;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly ApiParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** OpenAPI 3.1 of the console API. */
export interface ApiDocument {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Lowercase<Method>, ApiOperation>>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

const column: Readonly<Record<ApiLanguage, 0 | 1>> = { zh: 0, en: 1 };

const about = [
  '控制台的全部接口。除导出外，每个回答都是 `{success, message, data}`；业务错误的 HTTP 状态是 200，`success` 为 false。' +
    '用系统访问令牌调用时，请同时发送 `Authorization: Bearer <令牌>` 与 `New-Api-User: <用户编号>`。',
  'Everything that the console asks. Every answer but an export is `{success, message, data}`; what was refused for a reason of ' +
    'business has HTTP status 200 and `success: false`. With a system access token send `Authorization: Bearer <token>` and ' +
    '`New-Api-User: <your id>`.',
] as const;

const groupNames: { readonly [Group in keyof typeof routes]: readonly [zh: string, en: string] } = {
  site: ['站点', 'Site'],
  probe: ['探测', 'Probes'],
  account: ['账户', 'Account'],
  signIn: ['登录与绑定', 'Signing in and bindings'],
  users: ['用户管理', 'Users'],
  personal: ['个人设置', 'Personal settings'],
  sessions: ['会话', 'Sessions'],
  notify: ['通知', 'Notifications'],
  announcement: ['公告', 'Announcements'],
  audit: ['审计', 'Audit'],
  channel: ['渠道', 'Channels'],
  channelOps: ['渠道维护', 'Keeping channels well'],
  token: ['令牌', 'Tokens'],
  redemption: ['兑换码', 'Redemption codes'],
  topup: ['充值', 'Top-ups'],
  payment: ['支付管理', 'Payments'],
  statement: ['月结单', 'Statements'],
  invite: ['邀请', 'Invites'],
  agentSelf: ['代理', 'Being an agent'],
  agent: ['代理管理', 'Agents'],
  log: ['使用日志', 'Usage log'],
  data: ['数据看板', 'Dashboard'],
  ledger: ['账本', 'Ledger'],
  drawing: ['绘图日志', 'Drawing log'],
  task: ['任务日志', 'Task log'],
  option: ['系统设置', 'Options'],
  price: ['价格', 'Prices'],
  route: ['路由', 'Routing'],
  doctor: ['体检', 'Doctor'],
  imports: ['导入', 'Import'],
  docs: ['文档', 'Documentation'],
};

const session = { session: [], user: [] };
const accessToken = { accessToken: [], user: [] };

function securityOf({ access, sessionOnly }: RouteDefinition): ApiOperation['security'] {
  if (access === 'none') return [];
  const ways = sessionOnly === true ? [session] : [session, accessToken];
  return access === 'try' ? [{}, ...ways] : ways;
}

function schemaOf(schema: z.ZodMiniType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // A text, as far as can be seen from its schema; only these are taken.
      if (zodSchema === flag) jsonSchema.enum = ['true', 'false', '1', '0', ''];
    },
  });
  return rest;
}

function queryOf(query: z.ZodMiniType | undefined): ApiParameter[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(query) as { properties?: Record<string, JsonSchema>; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }));
}

function pathParameters(path: string): ApiParameter[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }));
}

const envelopeSchema = {
  type: 'object',
  required: ['success', 'message'],
  properties: { success: { type: 'boolean' }, message: { type: 'string' }, data: {} },
};
const envelope = { 'application/json': { schema: { $ref: '#/components/schemas/Envelope' } } };
/** What is refused for a reason of business has status 200, too, and is no file. */
const file = { 'text/csv': { schema: { type: 'string' } }, 'application/x-ndjson': { schema: { type: 'string' } }, ...envelope };
const anyJson = { 'application/json': { schema: { type: 'object' } } };

type Shapes = Readonly<Record<'answers' | 'components', Readonly<Record<string, JsonSchema>>>>;

/** What the types of the contract say, as `node scripts/print-answers.ts` prints it; fields are explained in English alone. */
const shapes: Readonly<Record<ApiLanguage, Shapes>> = { en: answerShapes, zh: withoutRemarks(answerShapes) };

/** The envelope with what `data` holds when `success` is true, or what stands in its place. */
function contentOf(data: JsonSchema | undefined, path: string): Readonly<Record<string, unknown>> {
  if (path.endsWith('/export')) return file;
  if (path.endsWith('.json')) return anyJson;
  if (data === undefined) return envelope;
  return { 'application/json': { schema: { ...envelopeSchema, properties: { ...envelopeSchema.properties, data } } } };
}

function operationOf(id: string, route: RouteDefinition, summary: string, data: JsonSchema | undefined): ApiOperation {
  const body = route.body === undefined ? undefined : schemaOf(route.body);
  return {
    operationId: id,
    tags: [id.slice(0, id.indexOf('.'))],
    summary,
    'x-access': route.access,
    security: securityOf(route),
    parameters: [...pathParameters(route.path), ...queryOf(route.query)],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      200: { description: 'success', content: contentOf(data, route.path) },
      default: { description: 'failure', content: envelope },
    },
  };
}

const components = {
  securitySchemes: {
    session: { type: 'apiKey', in: 'cookie', name: 'session' },
    accessToken: { type: 'http', scheme: 'bearer' },
    user: { type: 'apiKey', in: 'header', name: 'New-Api-User' },
  },
};

/** Describes every route of the contract. */
export function describeApi({ version, language }: { version: string; language: ApiLanguage }): ApiDocument {
  const at = column[language];
  const { answers, components: types } = shapes[language];
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const [group, members] of Object.entries(routes)) {
    const texts: Readonly<Record<string, readonly [string, string]>> = summaries[group as keyof typeof routes];
    for (const [name, route] of Object.entries<RouteDefinition>(members)) {
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      paths[path] ??= {};
      const id = `${group}.${name}`;
      paths[path][route.method.toLowerCase()] = operationOf(id, route, texts[name]?.[at] ?? '', answers[id]);
    }
  }
  const tags = Object.entries(groupNames).map(([name, texts]) => ({ name, description: texts[at] }));
  const info = { title: 'Tollgate', version, description: about[at] };
  const schemas = { Envelope: envelopeSchema, ...types };
  return { openapi: '3.1.1', info, tags, paths, components: { schemas, ...components } };
}

/** Schemas without what is told about their fields. A field may itself be called `description`: that one has a schema. */
function withoutRemarks(schemas: Shapes): Shapes {
  return JSON.parse(
    JSON.stringify(schemas, (key, value) => (key === 'description' && typeof value === 'string' ? undefined : value)),
  );
}
