import type { Envelope, LoginUser, Status } from '@tollgate/contract';
import { describeApi } from '@tollgate/contract/openapi.ts';
import * as agents from './agents.ts';
import * as data from './fixtures.ts';
import { imported } from './imports.ts';
import * as money from './money.ts';
import * as told from './notifications.ts';
import * as people from './people.ts';
import * as prices from './prices.ts';
import * as tasks from './tasks.ts';
import * as usage from './usage.ts';

export interface MockRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
}
export interface MockAnswer {
  status: number;
  envelope: Envelope;
  headers?: Record<string, string>;
}
export interface MockOptions {
  user?: LoginUser;
  status?: Partial<Status>;
  /** Tried before the standard answers: `GET /api/token`. Return undefined to pass. */
  override?: (request: MockRequest) => MockAnswer | undefined;
}

export const ok = (value?: unknown): MockAnswer => ({ status: 200, envelope: { success: true, message: '', data: value } });
export const refuse = (message: string, status = 200): MockAnswer => ({ status, envelope: { success: false, message } });
/** Refused for coming too often: `seconds` are to be waited. */
export const refuseFor = (seconds: number): MockAnswer => ({
  ...refuse('请求次数过多', 429),
  headers: { 'Retry-After': String(seconds) },
});

const has = (value: number, wanted: string | undefined): boolean => wanted === undefined || String(value) === wanted;

const slice = <T>(rows: readonly T[], page: number, size: number): T[] => rows.slice(page * size, (page + 1) * size);

/** The object form of a list; pages count from 1. */
const totalPage = <T>(rows: readonly T[], page: number, size: number) => ({
  items: slice(rows, Math.max(0, page - 1), size),
  page: Math.max(1, page),
  page_size: size,
  total: rows.length,
});

const ordersLike = ({ username, trade_no: number, status }: MockRequest['query']) =>
  money.everyOrder.filter(
    (row) =>
      (!username || row.username === username) && (!number || row.trade_no === number) && (!status || row.status === status),
  );

function lists({ method, path, query }: MockRequest): MockAnswer | undefined {
  const page = Number(query.p ?? 0);
  const size = Number(query.page_size ?? query.size ?? 10);
  const more = query.peek === 'true' ? 1 : 0;
  /** The answer of a list that is its rows alone. */
  const cut = <T>(rows: readonly T[]) => ok(rows.slice(page * size, (page + 1) * size + more));
  switch (`${method} ${path}`) {
    case 'GET /api/channel':
      return cut(data.channels);
    case 'GET /api/channel/search':
      return cut(
        data.channels.filter(
          (row) =>
            row.name.includes(query.keyword ?? '') &&
            row.group.includes(query.group ?? '') &&
            has(row.status, query.status) &&
            has(row.type, query.type),
        ),
      );
    case 'GET /api/token':
      return cut(data.tokens);
    case 'GET /api/token/search':
      return cut(data.tokens.filter((row) => row.name.includes(query.keyword ?? '') && has(row.status, query.status)));
    case 'GET /api/user':
      return cut(people.users);
    case 'GET /api/user/search':
      return cut(
        people.users.filter(
          (row) => row.username.includes(query.keyword ?? '') && has(row.role, query.role) && has(row.status, query.status),
        ),
      );
    case 'GET /api/redemption':
      return cut(money.redemptions);
    case 'GET /api/redemption/campaigns':
      return cut(money.campaigns);
    case 'GET /api/redemption/search':
      return cut(money.redemptions.filter((row) => row.name.startsWith(query.keyword ?? '') && has(row.status, query.status)));
    case 'GET /api/statement/self':
    case 'GET /api/statement/7':
      return ok(money.statementOf(query.month ?? ''));
    case 'GET /api/user/topup/records':
      return ok({ items: money.orders, page: 1, page_size: size, total: money.orders.length });
    case 'GET /api/user/aff/records':
      return ok({ items: money.inviteRecords, page: 1, page_size: size, total: money.inviteRecords.length });
    case 'GET /api/user/aff/rewards':
      return ok(
        totalPage(
          money.rewards.filter(({ state }) => !query.state || state === query.state),
          page,
          size,
        ),
      );
    case 'GET /api/payment/orders':
      return ok(totalPage(ordersLike(query), page, size));
    case 'GET /api/payment/inbox':
      return ok(
        totalPage(
          money.notices.filter(({ verdict }) => !query.verdict || verdict === query.verdict),
          page,
          size,
        ),
      );
    case 'GET /api/payment/unmatched':
      return ok(totalPage(money.unmatchedNotices, page, size));
    case 'GET /api/user/notifications':
      return ok(totalPage(told.deliveries, page, size));
    case 'GET /api/announcement':
      return ok(totalPage(told.announcements, page, size));
    case 'GET /api/announcement/unread':
      return ok(told.announcements.filter(({ read }) => !read).length);
    case 'GET /api/audit':
      return ok({ items: people.auditEntries, page: Math.max(1, page), page_size: size, total: people.auditEntries.length });
    case 'GET /api/mj':
    case 'GET /api/mj/self':
      return cut(tasks.drawings);
    case 'GET /api/task':
    case 'GET /api/task/self':
      return cut(tasks.tasks);
    case 'GET /api/log':
    case 'GET /api/log/self':
      return ok({
        items: slice(data.logs, Math.max(0, page - 1), size),
        page: Math.max(1, page),
        page_size: size,
        total: 10_000,
        total_capped: true,
        next_before: 4321,
      });
    default:
      return undefined;
  }
}

function single({ method, path }: MockRequest): MockAnswer | undefined {
  const [, kind = '', id] = /^\/api\/(channel|token|user|redemption)\/(\d+)$/.exec(path) ?? [];
  const tables: Record<string, readonly { id: number }[]> = {
    channel: data.channels,
    token: data.tokens,
    user: people.users,
    redemption: money.redemptions,
  };
  const rows = tables[kind];
  if (method !== 'GET' || rows === undefined) return undefined;
  const row = rows.find((candidate) => candidate.id === Number(id));
  return row ? ok(row) : refuse({ channel: '渠道不存在', token: '令牌不存在' }[kind] ?? '用户不存在', 404);
}

/** Never applied to be an agent. */
export const strangerId = 90;

/** What the pages of agents ask for. */
function agencies({ method, path, query }: MockRequest, { user }: MockOptions): MockAnswer | undefined {
  const page = Number(query.p ?? 1);
  const size = Number(query.page_size ?? 10);
  const inState = <Row extends { status: number }>(rows: readonly Row[]) =>
    totalPage(
      rows.filter(({ status }) => query.status === undefined || String(status) === query.status),
      page,
      size,
    );
  const keyword = query.keyword ?? '';
  const found = agents.agents.filter(({ username, user_id }) => username.includes(keyword) || String(user_id) === keyword);
  const days = Math.floor((data.now - Number(query.start_timestamp ?? 0)) / 86_400) + 1;
  const answers: Record<string, () => unknown> = {
    'GET /api/agent/self': () => (user?.id === strangerId ? null : agents.agency),
    'GET /api/agent/self/customers': () => totalPage(agents.customers, page, size),
    'GET /api/agent/self/dividends': () => inState(agents.dividends),
    'GET /api/agent/self/withdrawals': () => inState(agents.withdrawals),
    'POST /api/agent/self/withdrawals/quote': () => ({ amount: 20_000, fee: 200, net: 19_800, quota: 0 }),
    'GET /api/agent/self/earnings': () => agents.earningsOf(Math.min(90, days)),
    'GET /api/agent/earnings': () => agents.earningsOf(Math.min(90, days)),
    'GET /api/agent': () => inState(found),
    'GET /api/agent/summary': () => agents.agentSummary,
    'GET /api/agent/dividends': () => inState(agents.everyDividend),
    'GET /api/agent/withdrawals': () => inState(agents.everyWithdrawal),
  };
  const read = answers[`${method} ${path}`];
  return read && ok(read());
}

/** What the price editor asks for. */
function priceBook({ method, path }: MockRequest): MockAnswer | undefined {
  const versions = prices.priceVersions;
  const answers: Record<string, unknown> = {
    'GET /api/option': prices.priceOptions,
    'GET /api/price/unpriced': ['brand-new-model', 'gpt-oss-120b'],
    'GET /api/price/versions': { items: versions, page: 1, page_size: 10, total: versions.length },
    'GET /api/price/sync': prices.priceSync,
    'POST /api/price/preview': prices.pricePreview,
  };
  const name = `${method} ${path}`;
  return name in answers ? ok(answers[name]) : undefined;
}

function costs({ method, path }: MockRequest): MockAnswer | undefined {
  if (method !== 'GET') return undefined;
  const receiptOf = /^\/api\/log\/(\d+)\/receipt$/.exec(path);
  if (receiptOf) {
    const entry = data.logs.find(({ id }) => String(id) === receiptOf[1]);
    return entry ? ok(prices.receiptOf(entry)) : refuse('没有这个请求的记录', 404);
  }
  if (path === '/api/ledger/proof') return ok(prices.proof);
  if (path === '/api/ledger/state') return ok(prices.ledgerState);
  if (path === '/api/ledger/sources') return ok(prices.ledgerSources);
  if (path === '/api/doctor') return ok(prices.doctor);
  if (path === '/api/import') return ok(imported);
  if (path !== '/api/pricing') return undefined;
  const envelope: Envelope & Record<string, unknown> = { ...ok(prices.pricing).envelope, ...prices.pricingGroups };
  return { status: 200, envelope };
}

/** The one answer without an envelope. */
function docs({ method, path, query }: MockRequest): MockAnswer | undefined {
  if (method !== 'GET' || path !== '/api/openapi.json') return undefined;
  const language = query.lang === 'en' ? 'en' : 'zh';
  return { status: 200, envelope: describeApi({ version: '1.0.0', language }) as unknown as Envelope };
}

function facts({ method, path }: MockRequest, options: MockOptions): MockAnswer | undefined {
  const user = options.user ?? data.root;
  const fixed: Record<string, unknown> = {
    'GET /api/status': { ...data.status, ...options.status },
    'GET /api/notice': '',
    'GET /api/about': '',
    'GET /api/home_page_content': '',
    'POST /api/user/login': user,
    'GET /api/user/self': data.userOf(user),
    'GET /api/user/models': data.modelNames,
    'GET /api/user/sessions': people.sessions,
    'GET /api/user/passkey': people.passkeys,
    'GET /api/user/totp': { enabled: false, recovery_codes_left: 0 },
    'POST /api/user/amount': '73.00',
    'GET /api/user/aff': 'Ab3d',
    'GET /api/user/aff/info': money.inviteInfo,
    'GET /api/user/self/groups': data.groups,
    'GET /api/group': Object.keys(data.groups),
    'GET /api/channel/models': data.modelNames.map((id) => ({ id })),
    'GET /api/channel/models_enabled': data.modelNames,
    'GET /api/channel/jobs': { test: data.idleJob, balance: data.idleJob },
    'GET /api/models': { 1: data.modelNames.slice(0, 6), 43: data.modelNames.slice(6) },
    'GET /api/data/dashboard': usage.dashboard,
    'GET /api/data/self/dashboard': usage.ownDashboard,
    'GET /api/log/tail': { items: [], after: 9000, skipped: false },
    'GET /api/log/self/tail': { items: [], after: 9000, skipped: false },
    'GET /api/log/stat': { quota: 98_231_447, rpm: 42, tpm: 183_204 },
    'GET /api/log/self/stat': { quota: 1_231_447, rpm: 2, tpm: 3204 },
  };
  const name = `${method} ${path}`;
  return name in fixed ? ok(fixed[name]) : undefined;
}

/** The server's answers, as far as the console's pages need them. Writes succeed without effect. */
export function answer(request: MockRequest, options: MockOptions = {}): MockAnswer {
  return (
    options.override?.(request) ??
    lists(request) ??
    single(request) ??
    costs(request) ??
    docs(request) ??
    agencies(request, options) ??
    priceBook(request) ??
    facts(request, options) ??
    (request.method === 'GET' && !request.path.endsWith('/logout') ? refuse(`no mock for ${request.path}`, 404) : ok())
  );
}

/** Splits an address and a JSON body into what `answer` takes. */
export function readRequest(method: string, url: string, body: string | null | undefined): MockRequest {
  const { pathname, searchParams } = new URL(url, 'http://console.test');
  return {
    method,
    path: pathname.replace(/\/$/, ''),
    query: Object.fromEntries(searchParams),
    body: body ? JSON.parse(body) : undefined,
  };
}
