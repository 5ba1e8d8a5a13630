import * as z from 'zod/mini';
import { routes } from '../index.ts';
import type { Access, Method, RouteDefinition } from '../route.ts';
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
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
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

const envelope = { 'application/json': { schema: { $ref: '#/components/schemas/Envelope' } } };
const file = { 'text/csv': { schema: { type: 'string' } }, 'application/x-ndjson': { schema: { type: 'string' } } };
const anyJson = { 'application/json': { schema: { type: 'object' } } };

/** What stands in place of the envelope. */
function contentOf(path: string): Readonly<Record<string, unknown>> {
  if (path.endsWith('/export')) return file;
  return path.endsWith('.json') ? anyJson : envelope;
}

function operationOf(group: string, name: string, route: RouteDefinition, summary: string): ApiOperation {
  const body = route.body === undefined ? undefined : schemaOf(route.body);
  return {
    operationId: `${group}.${name}`,
    tags: [group],
    summary,
    'x-access': route.access,
    security: securityOf(route),
    parameters: [...pathParameters(route.path), ...queryOf(route.query)],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      200: { description: 'success', content: contentOf(route.path) },
      default: { description: 'failure', content: envelope },
    },
  };
}

const components = {
  schemas: {
    Envelope: {
      type: 'object',
      required: ['success', 'message'],
      properties: { success: { type: 'boolean' }, message: { type: 'string' }, data: {} },
    },
  },
  securitySchemes: {
    session: { type: 'apiKey', in: 'cookie', name: 'session' },
    accessToken: { type: 'http', scheme: 'bearer' },
    user: { type: 'apiKey', in: 'header', name: 'New-Api-User' },
  },
};

/** Describes every route of the contract. What `data` holds is typed in the contract package and not repeated here. */
export function describeApi({ version, language }: { version: string; language: ApiLanguage }): ApiDocument {
  const at = column[language];
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const [group, members] of Object.entries(routes)) {
    const texts: Readonly<Record<string, readonly [string, string]>> = summaries[group as keyof typeof routes];
    for (const [name, route] of Object.entries<RouteDefinition>(members)) {
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      paths[path] ??= {};
      paths[path][route.method.toLowerCase()] = operationOf(group, name, route, texts[name]?.[at] ?? '');
    }
  }
  const tags = Object.entries(groupNames).map(([name, texts]) => ({ name, description: texts[at] }));
  return { openapi: '3.1.1', info: { title: 'Tollgate', version, description: about[at] }, tags, paths, components };
}
