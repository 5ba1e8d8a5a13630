import type { ChannelHealth, ChannelTimelineEntry, OptionRow, OptionVersion, RouteExplanation } from '@tollgate/contract';
import { type OptionControl, optionGroups } from '@tollgate/contract';
import type { MockAnswer, MockRequest } from './mock-api.ts';
import { priceOptions } from './prices.ts';

/** How the site is set and how calls are routed: what only pictures need. */

const now = 1_795_190_400;
const usual: Partial<Record<OptionControl, string>> = { switch: 'true', number: '10', quota: '500000', chats: '[]', json: '{}' };

function settings(): OptionRow[] {
  const priced = new Set(priceOptions.map(({ key }) => key));
  const every = Object.values(optionGroups).flatMap(({ options }) => Object.entries<OptionControl>(options));
  const rows = every.map(([key, control]): OptionRow => {
    const value = usual[control] ?? '';
    if (control === 'secret') return { key, value: '', is_set: true };
    return control === 'choice' ? { key, value, choices: ['first', 'second'] } : { key, value };
  });
  return [...priceOptions, ...rows.filter(({ key }) => !priced.has(key))];
}

const version = (id: number, fields: Partial<OptionVersion>): OptionVersion => ({
  ...{ id, author_id: 1, author: 'root', created_at: now - id * 3600, note: '', changed: 1 },
  diff: [{ option: 'SystemName', name: '', from: 'Tollgate', to: '示例网关' }],
  restores: ['SystemName'],
  ...fields,
});
const history = [
  version(3, { note: 'undo:1' }),
  version(2, { diff: [{ option: 'SMTPToken', name: '', from: '', to: '', secret: true }], restores: [] }),
  version(1, { diff: [{ option: 'GroupRatio', name: 'vip', from: '1', to: '0.8' }], restores: ['GroupRatio'] }),
];

const score = { priority: 10, weight: 5, draw: 0.42, score: 0.17 };
const explanation: RouteExplanation = {
  plan: [
    { channel_id: 46, key_index: 0, priority: 10, weight: 5, order: 1, group: 'default' },
    { channel_id: 45, key_index: 1, priority: 0, weight: 1, order: 2, group: 'default' },
  ],
  candidates: [
    { channel_id: 46, name: '上游一', group: 'default', in: true, reason: '', score },
    { channel_id: 45, name: '上游二', group: 'default', in: true, reason: '', score: { ...score, priority: 0, weight: 1 } },
    { channel_id: 44, name: '上游三', group: 'default', in: false, reason: 'breaker_open', score },
  ],
  ...{ more_candidates: 0, group: 'default', model: 'gpt-4o', seed: 7 },
};

const timeline = (id: number, kind: ChannelTimelineEntry['kind'], reason: string): ChannelTimelineEntry => ({
  ...{ id, kind, reason, created_at: now - id * 600, actor: 'system', model: '', key_index: -1, evidence: '{"status":429}' },
});
const moves = [timeline(1, 'breaker_closed', ''), timeline(2, 'breaker_open', '429'), timeline(3, 'auto_disabled', '401')];
const health: ChannelHealth = {
  keys: [
    { index: 0, hint: 'sk-…a1b2', enabled: true, reason: '', changed_at: 0 },
    { index: 1, hint: 'sk-…c3d4', enabled: false, reason: '401', changed_at: now - 3600 },
  ],
  breakers: [
    { key_index: 0, model: 'gpt-4o', phase: 'open', ok: 3, bad: 12, rest_ms: 24_000, last_class: 'rate_limit' },
    { key_index: 1, model: '', phase: 'closed', ok: 120, bad: 1, rest_ms: 0, last_class: '' },
  ],
};

const cleanup = { running: false, target_timestamp: 0, deleted: 0, total: 0, started_at: 0, finished_at: 0, failed: false };

const found = (data: unknown): MockAnswer => ({ status: 200, envelope: { success: true, message: '', data } });

/** Tried before the standard answers. */
export function operations({ method, path }: MockRequest): MockAnswer | undefined {
  const name = `${method} ${path.replace(/\/\d+(?=\/|$)/, '/:id')}`;
  if (path.startsWith('/api/oauth/')) return { status: 200, envelope: { success: false, message: '登录已过期，请重试' } };
  const answers: Record<string, unknown> = {
    'GET /api/option': settings(),
    'GET /api/option/history': { items: history, page: 1, page_size: 10, total: history.length },
    'POST /api/route/explain': explanation,
    'GET /api/log/cleanup': cleanup,
    'POST /api/payment/orders/:id/reverse': { taken: 4_000_000, missing: 1_000_000 },
    'GET /api/channel/test_upstream/:id': { client_types: ['openai', 'anthropic'] },
    'GET /api/channel/:id/health': health,
    'GET /api/channel/:id/timeline': { items: moves, page: 1, page_size: 10, total: moves.length },
  };
  return name in answers ? found(answers[name]) : undefined;
}

const answer = {
  ...{ state: 'complete', reasoning: 'Two ways come to mind.', toolCalls: [], error: '', requestId: '' },
  ...{ promptTokens: 21, completionTokens: 84, firstMs: 412, totalMs: 2650 },
  text: '有两种办法：\n\n1. **快**\n2. 慢\n\n```python\nprint("hello")\n```',
};
/** A conversation with two models, as the playground keeps it. */
export const conversation = {
  setup: { models: ['gpt-4o-mini', 'gpt-4o'], group: '', temperature: 0.7, maxTokens: 0, system: 'Be brief.', tools: '' },
  turns: [
    {
      ...{ id: '1', text: '怎么做？', images: [] },
      answers: [
        { ...answer, model: 'gpt-4o-mini' },
        { ...answer, model: 'gpt-4o', state: 'error', text: '', error: '上游没有回答' },
      ],
    },
  ],
};
