import { postJson } from '../post-json.ts';
import {
  type Batch,
  claude,
  codeOf,
  gemini,
  type Json,
  lastAsked,
  model,
  off,
  on,
  once,
  relay,
  row,
  type Sight,
  status,
} from './scene.ts';

const says = (text: string) => ({ messages: [{ role: 'user', content: text }] });

/** The body that an upstream got for this call. */
const sent = (body: Json) => async (sight: Sight) => {
  await relay(sight, body);
  return lastAsked(sight)?.json as Json;
};
const statusFor = (body: Json) => async (sight: Sight) => (await relay(sight, body)).status;
const code = (body: Json) => async (sight: Sight) => codeOf(await relay(sight, body));

/** What the second, third ... call of somebody is answered. */
const nth = (calls: number) => async (sight: Sight) => {
  let last = { status: 0, json: {} as Json };
  for (let call = 0; call < calls; call++) last = await relay(sight, {});
  return [last.status, String((last.json.error as Json | undefined)?.message ?? '').replace(/ \(request id.*/, '')];
};

/** A call by a token that has little left: whether it is let in shows what is held. */
const withLittle = (quota: number) => async (sight: Sight) => {
  const { key } = await sight.root.addToken({ name: `little${quota}`, unlimited_quota: false, remain_quota: quota });
  return (await relay(sight, {}, key)).status;
};

async function untouched({ gateway, key, upstream }: Sight): Promise<boolean> {
  const body = `{"model" : "${model}", "messages":[{"role":"user","content":"\\u0068i"}], "unknown":1.50 }`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  await (await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })).text();
  return upstream.requests().at(-1)?.body.toString() === body;
}

/** Comments that came while the upstream said nothing. */
const pings = once(async ({ gateway, key, upstream }) => {
  upstream.script([{ text: 'late', delayMs: 1500 }]);
  const answer = await postJson(`${gateway.url}/v1/chat/completions`, key, { model, stream: true, ...says('hi') });
  return (await answer.text()).includes(': PING');
});

const picture = once(async (sight) => {
  const content = [{ type: 'image_url', image_url: { url: 'https://elsewhere.example/a.png' } }];
  await relay(sight, { model: claude, messages: [{ role: 'user', content }] });
  const order = sight.web.received.filter(({ path }) => path === '/work').at(-1);
  return JSON.parse(order?.body ?? '{}') as Json;
});

const limitOf = async ({ root, gateway }: Sight) => {
  const { key } = await root.addToken({ name: 'limited', unlimited_quota: false, remain_quota: 500_000 });
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${gateway.url}/v1/dashboard/billing/subscription`, { headers });
  return ((await answer.json()) as { hard_limit_usd: number }).hard_limit_usd > 1;
};

/** Which channel answers a token whose group is found by itself. */
async function autoGroup(sight: Sight): Promise<unknown> {
  await sight.root.addChannel({ name: 'vip', base_url: sight.upstream.url, key: 'sk-vip-0001', models: model, group: 'vip' });
  const { key } = await sight.root.addToken({ name: 'auto', group: 'auto' });
  await relay(sight, {}, key);
  return lastAsked(sight)?.headers.authorization;
}

const groups = ({ root }: Sight) => root.call<Json>('GET', '/api/user/self/groups');

/** Rows of this type that a call adds to the log. */
const logged = (type: number, fails: boolean) => async (sight: Sight) => {
  const count = async () => (await sight.root.logs(`type=${type}`)).length;
  const before = await count();
  if (fails) sight.upstream.script(() => ({ status: 400, body: { error: { message: 'no', type: 'x', code: 'x' } } }));
  await relay(sight, {});
  sight.upstream.reset();
  return (await count()) - before;
};

/** What happens to calls. */
export const relayBatches: readonly Batch[] = [
  {
    name: 'words, counts and pings',
    rows: [
      row('SensitiveWords', 'zebra\nyak', code(says('a ZEBRA')), 'sensitive_words_detected'),
      off('DisplayTokenStatEnabled', limitOf, true),
      on('general_setting.ping_interval_enabled', pings, true),
      row('general_setting.ping_interval_seconds', '1', pings, true),
    ],
  },
  {
    name: 'no price',
    rows: [on('SelfUseModeEnabled', statusFor({ model: 'house-model' }), 200)],
  },
  {
    name: 'what is logged',
    rows: [off('LogConsumeEnabled', logged(2, false), 0), off('ErrorLogEnabled', logged(5, true), 0)],
  },
  { name: 'no check', rows: [off('CheckSensitiveEnabled', statusFor(says('test_sensitive')), 200)] },
  { name: 'no check of prompts', rows: [off('CheckSensitiveOnPromptEnabled', statusFor(says('test_sensitive')), 200)] },
  {
    name: 'a large hold',
    rows: [row('PreConsumedQuota', '10000000', withLittle(2000), 403)],
  },
  {
    name: 'a small hold',
    rows: [row('MaxHoldCompletionTokens', '1', withLittle(200), 200)],
  },
  {
    name: 'bytes as they came',
    rows: [on('global.pass_through_request_enabled', untouched, true)],
  },
  {
    name: 'other dialects',
    rows: [
      row(
        'claude.default_max_tokens',
        '{"default":4000}',
        async (sight) => (await sent({ model: claude })(sight)).max_tokens,
        4000,
      ),
      row(
        'claude.model_headers_settings',
        `{"${claude}":{"anthropic-beta":["house-beta"]}}`,
        async (sight) => (await sent({ model: claude })(sight)) && lastAsked(sight)?.headers['anthropic-beta'],
        'house-beta',
      ),
      row(
        'claude.thinking_adapter_budget_tokens_percentage',
        '0.5',
        async (sight) => (await sent({ model: `${claude}-thinking` })(sight)).thinking,
        { type: 'enabled', budget_tokens: 2000 },
      ),
      row(
        'gemini.safety_settings',
        '{"default":"BLOCK_ONLY_HIGH"}',
        async (sight) => JSON.stringify((await sent({ model: gemini })(sight)).safetySettings).includes('BLOCK_ONLY_HIGH'),
        true,
      ),
      row(
        'gemini.version_settings',
        '{"default":"v1"}',
        async (sight) => (await sent({ model: gemini })(sight)) && lastAsked(sight)?.path,
        `/v1/models/${gemini}:generateContent`,
      ),
      row(
        'WorkerUrl',
        ({ web }) => `${web.origin}/work`,
        async (sight) => (await picture(sight)).url,
        'https://elsewhere.example/a.png',
      ),
      row('WorkerValidKey', 'worker-key', async (sight) => (await picture(sight)).key, 'worker-key'),
    ],
  },
  {
    name: 'no suffix for thinking',
    rows: [
      off(
        'claude.thinking_adapter_enabled',
        async (sight) => (await sent({ model: `${claude}-thinking` })(sight)).model,
        `${claude}-thinking`,
      ),
    ],
  },
  {
    name: 'a limit of requests',
    rows: [
      on('ModelRequestRateLimitEnabled', async (sight) => (await nth(3)(sight))[0], 429),
      row('ModelRequestRateLimitCount', '2', nth(1), [
        429,
        '您已达到总请求数限制：7分钟内最多请求2次，包括失败次数，请检查您的请求是否正确',
      ]),
      row('ModelRequestRateLimitDurationMinutes', '7', async (sight) => (await nth(1)(sight))[0], 429),
    ],
  },
  {
    name: 'a limit of answers',
    rows: [
      on('ModelRequestRateLimitEnabled', async (sight) => (await nth(2)(sight))[0], 429),
      row('ModelRequestRateLimitSuccessCount', '1', nth(1), [429, '您已达到请求数限制：1分钟内最多请求1次']),
    ],
  },
  {
    name: 'limits of a group',
    rows: [row('GroupLimits', '{"default":{"rpm":1}}', async (sight) => (await nth(2)(sight))[0], 429)],
  },
  {
    name: 'groups',
    rows: [
      row('UserUsableGroups', '{"auto":"Auto","vip":"House vip"}', async (sight) => (await groups(sight)).vip, {
        ratio: 1,
        desc: 'House vip',
      }),
      row('AutoGroups', '["vip"]', autoGroup, 'Bearer sk-vip-0001'),
      // Needs auto among the groups that users may choose.
      on('DefaultUseAutoGroup', status('default_use_auto_group'), true),
    ],
  },
];
