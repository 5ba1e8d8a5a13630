import type { LogBody, LogEntry, LogTail, RouteRecord, Token } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import type { Gateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';
const question = { model, messages: [{ role: 'user', content: 'hi, my key is sk-abcdefghijklmnop' }] };

onEachEngine((_engine, _open, kit) => {
  async function begin(run: (world: { gateway: Gateway; upstream: MockUpstream; root: Console; token: Token }) => Promise<void>) {
    const upstream = await startMockUpstream();
    const gateway = await gatewayOn(kit);
    try {
      const root = await gateway.root();
      await root.addChannel({ base_url: upstream.url, models: model });
      await run({ gateway, upstream, root, token: await root.addToken() });
    } finally {
      await gateway.stop();
      await upstream.close();
    }
  }

  const ask = (gateway: Gateway, token: Token, body: object = question, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const rowOf = async (root: Console, requestId: string, type: number): Promise<LogEntry> => {
    let row: LogEntry | undefined;
    await eventually(async () => {
      [row] = await root.logs(`request_id=${requestId}&type=${type}`);
      expect(row).toBeDefined();
    });
    return row as LogEntry;
  };

  /** Bodies are written a second later. */
  const bodyOf = (root: Console, row: LogEntry, text: string) =>
    eventually(async () => {
      const body = await root.call<LogBody>('GET', `/api/log/${row.id}/body`);
      expect(body).toMatchObject({ status: 200, response: text, truncated: false });
      expect(body.request).toContain('hi, my key is sk-***');
    }, 3_000);

  describe('the log of a running gateway', () => {
    test('a call that failed and one that was refused stand in the log with what happened', { timeout: 60_000 }, async () => {
      await begin(async ({ gateway, upstream, root, token }) => {
        upstream.script(() => ({ status: 500 }));
        const failed = await ask(gateway, token);
        expect(failed.status).toBeGreaterThanOrEqual(500);
        const row = await rowOf(root, failed.headers.get('x-oneapi-request-id') ?? '', 5);
        expect(row).toMatchObject({ quota: 0, model_name: model, token_name: 'test', prompt_tokens: 0 });
        expect(row.channel).toBeGreaterThan(0);
        const other = JSON.parse(row.other);
        expect(other).toMatchObject({ status: failed.status, admin_info: { use_channel: [String(row.channel)] } });
        const record = await root.call<RouteRecord>('GET', `/api/log/${row.id}/route`);
        expect(record.attempts).toMatchObject([{ channel_id: row.channel, status: 500 }]);
        const refused = await ask(gateway, token, { ...question, model: 'no-such-model' });
        const second = await rowOf(root, refused.headers.get('x-oneapi-request-id') ?? '', 5);
        expect(second).toMatchObject({ quota: 0, model_name: 'no-such-model', channel: 0 });
        expect(second.content).not.toBe('');
        const [proof] = [await root.call<{ ok: boolean }>('GET', '/api/ledger/proof')];
        expect(proof.ok).toBe(true);
      });
    });

    test('bodies are kept only when asked for, without secrets, and not of a call that declines', {
      timeout: 60_000,
    }, async () => {
      await begin(async ({ gateway, root, token }) => {
        const silent = await ask(gateway, token);
        await root.setOption('LogBodies', 'all');
        await eventually(async () => {
          const kept = await ask(gateway, token, { ...question, stream: true });
          const text = await kept.text();
          const row = await rowOf(root, kept.headers.get('x-oneapi-request-id') ?? '', 2);
          await bodyOf(root, row, text);
        }, 20_000);
        const declined = await ask(gateway, token, question, { 'x-tollgate-log-body': 'none' });
        for (const answer of [silent, declined]) {
          const { id } = await rowOf(root, answer.headers.get('x-oneapi-request-id') ?? '', 2);
          expect((await root.raw('GET', `/api/log/${id}/body`)).status).toBe(404);
        }
      });
    });

    test('with consumption rows switched off the books add up and the pages are empty', { timeout: 60_000 }, async () => {
      await begin(async ({ gateway, root, token }) => {
        await root.setOption('LogConsumeEnabled', false);
        expect((await ask(gateway, token)).status).toBe(200);
        await eventually(async () => expect((await root.self()).used_quota).toBeGreaterThan(0));
        expect(await root.logs('type=2')).toEqual([]);
        expect((await root.call<{ quota: number }>('GET', '/api/log/stat')).quota).toBe((await root.self()).used_quota);
        expect((await root.call<{ ok: boolean }>('GET', '/api/ledger/proof')).ok).toBe(true);
      });
    });

    test('an export streams over a socket, and ends when its reader leaves; a live view tells each row once', {
      timeout: 60_000,
    }, async () => {
      await begin(async ({ gateway, root, token }) => {
        const start = await root.call<LogTail>('GET', '/api/log/tail');
        const ids = await Promise.all(
          Array.from({ length: 12 }, async () => (await ask(gateway, token)).headers.get('x-oneapi-request-id')),
        );
        const told: string[] = [];
        let { after } = start;
        await eventually(async () => {
          const tail = await root.call<LogTail>('GET', `/api/log/tail?type=2&after=${after}`);
          after = tail.after;
          told.push(...tail.items.map((row) => row.request_id));
          expect(told).toHaveLength(12);
        });
        expect(new Set(told)).toEqual(new Set(ids));
        const { headers } = root;
        for (let run = 0; run < 8; run += 1) {
          const leaving = new AbortController();
          const half = await fetch(`${gateway.url}/api/log/export?type=2`, { headers, signal: leaving.signal });
          expect(half.status).toBe(200);
          leaving.abort();
        }
        await eventually(async () => {
          const whole = await fetch(`${gateway.url}/api/log/self/export?type=2`, { headers });
          expect(whole.status).toBe(200);
          expect(whole.headers.get('content-disposition')).toContain('.csv');
          const lines = (await whole.text()).trimEnd().split('\r\n');
          expect(lines).toHaveLength(13);
        });
      });
    });
  });
});
