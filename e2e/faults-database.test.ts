import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { withRedis } from '../server/test/redis.ts';
import { onPostgres } from './support/engine.ts';
import { codesOf, connectTo, longest, refusedOf, takeAllConnections } from './support/fault-tools.ts';
import { type FaultNode, type FaultWorld, type NodesLoad, openFaultWorld, perCall, readiness } from './support/fault-world.ts';
import type { Seen } from './support/mixed-load.ts';
import { eventually } from './support/wait.ts';

/** No request takes longer because of the database. */
const patienceMs = 10_000;
/** The rows of a node that says nothing any more are free. */
const lockedMs = 5_000;
/** Of a node in each window: a fault has two, what it is compared with seven. */
const callsInWindow = { quiet: 12, fault: 25 };
/** After the fault is gone. */
const healedMs = 5_000;
/** What the machine that runs all of this may add. */
const slackMs = 3_000;
const isSoak = process.env.TOLLGATE_SOAK === '1';
/** With failing statements. */
const callsPerShare = isSoak ? 5_000 : 500;
const longestLoadMs = isSoak ? 900_000 : 60_000;

/** What a node wrote about calls that failed in a way that nobody foresaw. */
const defectsIn = (output: string) => output.split('\n').filter((line) => line.includes('a relay request failed'));

onPostgres(() => {
  withRedis((startRedis) => {
    let world: FaultWorld;
    beforeAll(async () => {
      world = await openFaultWorld(startRedis);
    }, 60_000);
    afterEach(() => world.heal());
    afterAll(() => world?.close());
    /** Of those who share no wallet with the first node, what was refused. */
    const refusedOwn = ({ of }: NodesLoad) =>
      [1, 2].flatMap((index) => refusedOf(of[index]?.seen).filter(({ callerKey }) => callerKey === world.own[index]?.key));
    const node = (index: number) => world.nodes[index] as FaultNode;

    test('F-05: a slow database slows its own node down and no other; when it is too slow, its callers are told in time', async () => {
      const load = world.startLoad();
      await load.answered(5);
      node(0).database.delay(25);
      await load.answered(5);
      node(0).database.delay(2_500);
      await eventually(() => expect(refusedOf(load.of[0]?.seen).length).toBeGreaterThan(2));
      await load.answered(10, [1, 2]);
      node(0).database.heal();
      const sinceMs = performance.now();
      await load.answered(5);
      expect(performance.now() - sinceMs).toBeLessThan(healedMs + slackMs);
      await world.settle(load);
      expect(codesOf(load.of[0]?.seen)).toEqual(['billing_unavailable']);
      expect(longest(load.of[0]?.seen)).toBeLessThan(patienceMs + slackMs);
      expect(refusedOwn(load)).toEqual([]);
    });

    test('F-05: a wallet whose row somebody holds is refused, the wallets beside it are served', async () => {
      const load = world.startLoad();
      await load.answered(5);
      const holder = await connectTo(world.databaseUrl);
      await holder.query(`BEGIN; SELECT * FROM wallet WHERE user_id = ${world.shared[0]?.console.userId} FOR UPDATE`);
      await eventually(() => expect(codesOf(load.of.flatMap(({ seen }) => seen))).toEqual(['billing_unavailable']));
      await load.answered(20);
      await holder.end();
      await load.answered(5);
      await world.settle(load);
      const refused = load.of.flatMap(({ seen }) => refusedOf(seen));
      const isAnnas = ({ callerKey }: Seen) => callerKey === world.shared[0]?.key;
      expect(refused.filter((seen) => !isAnnas(seen))).toEqual([]);
      expect(longest(load.of.flatMap(({ seen }) => seen))).toBeLessThan(patienceMs + slackMs);
    });

    test('F-05: beside a slow node and beside a frozen one that has a wallet locked, users of other wallets hardly wait longer', async () => {
      const load = world.startLoad(2);
      const ofOthers = (indexes: readonly number[] = [1, 2]) =>
        indexes.flatMap((index) =>
          (load.of[index]?.seen ?? []).filter(({ callerKey, model }) => callerKey === world.own[index]?.key && model === perCall),
        );
      const windows: { state: string; fromMs: number; toMs: number }[] = [];
      /** Until so many calls of these users have begun and ended on each of their nodes. */
      const watch = async (state: string, calls = callsInWindow.fault) => {
        const fromMs = performance.now();
        const since = (index: number) => ofOthers([index]).filter(({ startedMs }) => startedMs >= fromMs).length;
        await eventually(() => expect(Math.min(since(1), since(2))).toBeGreaterThanOrEqual(calls));
        windows.push({ state, fromMs, toMs: performance.now() });
      };
      /** 95 % of the calls that began in these windows ended within so many milliseconds. */
      const p95 = (wanted: string) => {
        const own = windows.filter(({ state }) => state === wanted);
        const times = ofOthers()
          .filter(({ startedMs }) => own.some(({ fromMs, toMs }) => startedMs >= fromMs && startedMs < toMs))
          .map(({ ms }) => ms)
          .sort((x, y) => x - y);
        return Math.round(times[Math.floor(times.length * 0.95)] ?? 0);
      };
      const besideSlow = async (oneWayMs: number) => {
        node(0).database.delay(oneWayMs);
        await watch(`+${2 * oneWayMs} ms`);
        node(0).database.heal();
      };
      const observer = await connectTo(world.databaseUrl);
      /** The last words of transactions whose client has said nothing for a while: it holds rows locked. */
      const silent = async () => {
        const sql = `SELECT query FROM pg_stat_activity WHERE state = 'idle in transaction'
          AND clock_timestamp() - state_change >= make_interval(secs => 0.2)`;
        return (await observer.query<{ query: string }>(sql)).rows.map(({ query }) => query);
      };
      const hasLocked = (queries: readonly string[]) =>
        queries.some((query) => / (wallet|token|hold|channel_charge) /.test(query));
      const lockedFor: number[] = [];
      const besideFrozen = async () => {
        let frozenMs = 0;
        await eventually(async () => {
          frozenMs = performance.now();
          node(0).gateway.process.kill('SIGSTOP');
          try {
            await eventually(async () => expect(hasLocked(await silent())).toBe(true), 400);
          } catch (error) {
            // It had nothing locked.
            node(0).gateway.process.kill('SIGCONT');
            throw error;
          }
        });
        const free = eventually(async () => expect(hasLocked(await silent())).toBe(false));
        await Promise.all([watch('frozen'), free.then(() => lockedFor.push(performance.now() - frozenMs))]);
        node(0).gateway.process.kill('SIGCONT');
      };
      await load.answered(callsInWindow.quiet);
      const faults = [() => besideSlow(25), () => besideSlow(250), besideFrozen];
      // In turn: whatever else the machine does meanwhile comes into each of them alike.
      for (const begin of [...faults, ...faults.toReversed()]) {
        await watch('quiet', callsInWindow.quiet);
        // Who had begun by then has ended.
        await load.answered(8, [1, 2]);
        await begin();
        await load.answered(5);
      }
      await watch('quiet', callsInWindow.quiet);
      await observer.end();
      await world.settle(load);
      const beside = ['+50 ms', '+500 ms', 'frozen'].map((state) => [state, p95(state)] as const);
      console.log(`p95 of others in ms: quiet ${p95('quiet')}, ${beside.map((each) => each.join(' ')).join(', ')}`);
      console.log(`a frozen node had its rows locked for ${lockedFor.map(Math.round).join(' and ')} ms`);
      for (const [state, ms] of beside) expect([state, ms < 2 * p95('quiet')]).toEqual([state, true]);
      expect(Math.max(...lockedFor)).toBeLessThan(lockedMs + slackMs);
      expect(refusedOwn(load)).toEqual([]);
    });

    test('F-05: a lock on the settings, and reports that wait for a locked table, keep no call waiting', async () => {
      const load = world.startLoad();
      await load.answered(5);
      const holder = await connectTo(world.databaseUrl);
      await holder.query('BEGIN; LOCK TABLE option, usage_hour, usage_day IN ACCESS EXCLUSIVE MODE');
      const reports = world.nodes.flatMap(({ root }) =>
        Array.from({ length: 10 }, () =>
          root.call('GET', '/api/data/dashboard?start_timestamp=0&end_timestamp=2000000000').catch(() => undefined),
        ),
      );
      await load.answered(40);
      await holder.end();
      await Promise.all(reports);
      await world.settle(load);
      expect(refusedOf(load.of.flatMap(({ seen }) => seen))).toEqual([]);
    });

    test('F-07: a database that only reads after a fail-over, and one that lets nobody in: told in time, and over with the fault', async () => {
      const load = world.startLoad();
      const seen = () => load.of.flatMap((each) => each.seen);
      await load.answered(5);
      const operator = await connectTo(world.databaseUrl);
      await operator.query('SET default_transaction_read_only = off');
      const others = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
      const faults = [
        ['ALTER SYSTEM SET default_transaction_read_only = on', 'ALTER SYSTEM RESET default_transaction_read_only'],
        ["ALTER ROLE tollgate PASSWORD 'another'", "ALTER ROLE tollgate PASSWORD 'test'"],
      ] as const;
      for (const [fault, mended] of faults) {
        const before = refusedOf(seen()).length;
        await operator.query(fault);
        await operator.query('SELECT pg_reload_conf()');
        await operator.query(`SELECT pg_terminate_backend(pid) ${others}`);
        await eventually(() => expect(refusedOf(seen()).length).toBeGreaterThan(before + 5));
        await eventually(async () =>
          expect((await Promise.all(world.nodes.map(({ gateway }) => readiness(gateway)))).map(({ reasons }) => reasons)).toEqual(
            world.nodes.map(() => ['database']),
          ),
        );
        await operator.query(mended);
        await operator.query('SELECT pg_reload_conf()');
        const sinceMs = performance.now();
        await load.answered(5);
        expect(performance.now() - sinceMs).toBeLessThan(healedMs + slackMs);
      }
      await operator.end();
      await world.settle(load);
      expect(codesOf(seen())).toEqual(['billing_unavailable']);
      expect(longest(seen())).toBeLessThan(patienceMs + slackMs);
    });

    test('F-06: connections that are lost at COMMIT, on all nodes at once: one effect each', async () => {
      const load = world.startLoad();
      await load.answered(5);
      for (const { database } of world.nodes) database.loseCommits(20);
      await eventually(() => expect(world.nodes.map(({ database }) => database.lost())).toEqual([20, 20, 20]), 30_000);
      await load.answered(5);
      await world.settle(load);
    });

    test(
      'F-04: one statement in a hundred fails, then one in five: no call waits for long, and no charge is lost',
      async () => {
        const told: string[] = [];
        for (const share of [0.01, 0.2]) {
          const load = world.startLoad(3);
          const seen = () => load.of.flatMap((each) => each.seen);
          await load.answered(2);
          for (const { database } of world.nodes) database.failStatements(share);
          await eventually(() => expect(seen().length).toBeGreaterThanOrEqual(callsPerShare), longestLoadMs);
          const failed = world.nodes.reduce((sum, { database }) => sum + database.failed(), 0);
          for (const { database } of world.nodes) database.heal();
          const sinceMs = performance.now();
          await load.answered(1);
          expect(performance.now() - sinceMs).toBeLessThan(healedMs + slackMs);
          await world.settle(load);
          expect(world.nodes.flatMap(({ gateway }) => defectsIn(gateway.output()))).toEqual([]);
          expect(codesOf(seen()).filter((code) => code !== 'billing_unavailable')).toEqual([]);
          const of = `${seen().length} calls, ${refusedOf(seen()).length} refused, ${failed} statements failed`;
          told.push(`${share * 100} %: ${of}, longest call ${Math.round(longest(seen()))} ms`);
          expect(longest(seen())).toBeLessThan(patienceMs + slackMs);
        }
        console.log(told.join('; '));
      },
      60_000 + 2 * longestLoadMs,
    );

    test('F-04, F-07: the database crashes, comes back, and has no connection left for a while', async () => {
      const load = world.startLoad();
      await load.answered(5);
      const back = world.postgres.crash(3);
      await eventually(async () => expect((await readiness(node(0).gateway)).reasons).toEqual(['database']), healedMs + slackMs);
      const askedMs = performance.now();
      expect((await fetch(`${node(0).gateway.url}/healthz`)).status).toBe(200);
      expect(performance.now() - askedMs).toBeLessThan(slackMs);
      await back;
      const sinceMs = performance.now();
      await load.answered(1);
      expect(performance.now() - sinceMs).toBeLessThan(healedMs + slackMs);
      const crowd = await takeAllConnections(world.databaseUrl);
      await eventually(() => expect(refusedOf(load.of[1]?.seen).length).toBeGreaterThan(3));
      await Promise.all(crowd.map((each) => each.end()));
      await load.answered(5);
      await world.settle(load);
      expect(codesOf(load.of.flatMap(({ seen }) => seen))).toEqual(['billing_unavailable']);
      expect(longest(load.of.flatMap(({ seen }) => seen))).toBeLessThan(patienceMs + slackMs);
    });
  });
});
