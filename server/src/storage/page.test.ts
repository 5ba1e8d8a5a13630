import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { defaultOptions } from '../../test/channel-rows.ts';
import { onEachEngine, onPostgres, onSqlite } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { planned } from '../../test/planned.ts';
import { pageOfCustomers, reachOfAgents } from '../agents/customers.ts';
import { pageOfDividends } from '../agents/records.ts';
import { createAuditTrail } from '../audit/index.ts';
import { affiliateBalances } from '../billing/index.ts';
import { openingTotals } from '../billing/opening.ts';
import { proveBalances } from '../billing/reconcile.ts';
import { pageOfOrders } from '../billing/topup-orders.ts';
import { createTokens } from '../identity/tokens.ts';
import { createCrypto } from '../platform/crypto.ts';
import { countLimit, pageOf } from './page.ts';

const length = countLimit + 12;

onEachEngine((_, open) => {
  test('a long list is counted up to the limit, and from there to the end of the page that is read', async () => {
    const { read, transaction } = await open();
    await transaction(({ query }) =>
      sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sql.lit(length)})
          INSERT INTO option (key, value) SELECT 'k' || i, 'x' FROM n`.execute(query),
    );
    const all = read.selectFrom('option').where('value', '=', 'x');
    const pageAt = async (p: number, rows = all) => {
      const { items, ...page } = await pageOf(read, rows, { p, page_size: 10 }, (page) =>
        page.select('key').orderBy('key').execute(),
      );
      return { ...page, rows: items.length };
    };
    const size = { page_size: 10 };
    expect(await pageAt(1)).toEqual({ ...size, page: 1, rows: 10, total: countLimit, total_capped: true });
    // There is one more page behind it.
    expect(await pageAt(1001)).toEqual({ ...size, page: 1001, rows: 10, total: countLimit + 10, total_capped: true });
    expect(await pageAt(1002)).toEqual({ ...size, page: 1002, rows: 2, total: length });
    expect(await pageAt(9000)).toEqual({ ...size, page: 9000, rows: 0, total: length });
    expect(await pageAt(1, all.where('key', 'in', ['k7', 'k8']))).toEqual({ ...size, page: 1, rows: 2, total: 2 });
  });
});

onSqlite((_, open) => {
  test('payments and shares of a range or a state, and what somebody did or had done to them, are read by an index, however long the lists are', async () => {
    const db = await open();
    const { heard, plansOf } = planned(db);
    const page = { p: 1, page_size: 20 };
    const range = { start_timestamp: 1_000, end_timestamp: 2_000 };
    const orders = await plansOf(pageOfOrders(heard.read, { ...page, ...range }));
    const shares = await plansOf(pageOfDividends(heard.read, 'admin', { ...page, ...range, agent_id: 0, status: undefined }));
    const settled = await plansOf(
      pageOfDividends(heard.read, 'admin', { ...page, start_timestamp: 0, end_timestamp: 0, agent_id: 0, status: 1 }),
    );
    const trail = createAuditTrail({ db: { analyse: heard.read } });
    const anyAct = { ...page, actor: '', action: '', target: '', start_timestamp: 0, end_timestamp: 0 };
    const acts = await plansOf(trail.page({ ...anyAct, actor: '7' }));
    const told = await plansOf(trail.page({ ...anyAct, target: 'user:7' }));
    const paid = await plansOf(pageOfOrders(heard.read, { ...page, status: 'paid' }));
    expect(paid).toContain('SEARCH topup_order USING INDEX topup_order_state');
    expect(orders).toContain('SEARCH topup_order USING INDEX topup_order_created');
    expect(shares).toContain('SEARCH agent_dividend USING INDEX agent_dividend_created');
    expect(acts).toContain('SEARCH audit USING INDEX audit_by_name');
    expect(told).toContain('SEARCH audit USING INDEX audit_by_target');
    expect(orders + paid + shares + acts + told).not.toMatch(/SCAN (topup_order|agent_dividend|audit)\b/);
    expect(orders + paid + shares + settled + told).not.toContain('TEMP B-TREE');
  });

  test('what customers of an agent paid and brought is read by the customers, however much others paid', async () => {
    const db = await open();
    const { heard, plansOf } = planned(db);
    await db.transaction(({ query }) =>
      sql`INSERT INTO users (username, role, status, group_name, aff_code, inviter_id, created_at)
          VALUES ('customer', 1, 1, 'default', 'code', 7, 1)`.execute(query),
    );
    const plans = await plansOf(pageOfCustomers(heard.read, 7, { p: 1, page_size: 20 }));
    const reach = await plansOf(reachOfAgents(heard.read, [7]));
    expect(plans).toContain('SEARCH agent_dividend USING INDEX agent_dividend_user');
    expect(plans).toContain('SEARCH transfer USING INDEX transfer_movements');
    expect(reach).toContain('SEARCH transfer USING INDEX transfer_movements');
    expect(plans + reach).not.toMatch(/SCAN (topup_order|transfer|agent_dividend)\b/);
  });

  test('what was earned by invitations, and what an import opened, is read without the charges, however many these are', async () => {
    const { heard, plansOf } = planned(await open());
    expect(await plansOf(affiliateBalances(heard.read, [7, 8]))).toContain('SEARCH transfer USING INDEX transfer_movements');
    expect(await plansOf(openingTotals(heard.read, 'import:'))).not.toMatch(
      /SCAN transfer(?! USING INDEX transfer_(movements|sides))/,
    );
  });
});

onPostgres((_, open) => {
  test('the tokens of who has many are read by their owner, and not looked for among those of everybody', async () => {
    const db = await open();
    const { heard, plansOf } = planned(db);
    await db.transaction(({ query }) =>
      sql`INSERT INTO token (user_id, key_hmac, key_sealed, name, status, created_at)
          SELECT CASE WHEN i <= 1000 THEN 7 ELSE i END, 'h' || i, '', 'n', 1, 1 FROM generate_series(1, 20000) AS i`.execute(
        query,
      ),
    );
    await db.transaction(({ query }) => sql`ANALYZE token`.execute(query));
    const tokens = createTokens({
      ...{ db: heard, clock: new FakeClock(1_800_000_000_000), crypto: createCrypto(Buffer.alloc(32)) },
      ...{ changes: { notify: () => undefined }, options: () => defaultOptions },
    });
    const owner = { id: 7, group: 'default' };
    expect(await plansOf(tokens.list(owner, { p: 0, page_size: 20, status: 0 }))).toContain('token_by_user_id');
    expect((await tokens.list(owner, { p: 1, page_size: 2, status: 0 })).map(({ id }) => id)).toEqual([998, 997]);
  });
});

onEachEngine((_, open) => {
  test('what was done on a day of long ago is read by its time, and not looked for from the newest row down', async () => {
    const db = await open();
    const { heard, plansOf } = planned(db);
    await db.transaction(({ query }) =>
      sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
          INSERT INTO audit (seq, created_at, actor_id, actor, action, target, detail, ip, hash)
          SELECT 100 + i, i, 1, 'root', 'user.update', 'user:2', '{}', '', '' FROM n`.execute(query),
    );
    await db.transaction(({ query }) => sql`ANALYZE audit`.execute(query));
    const day = { p: 1, page_size: 20, actor: '', action: '', target: '', start_timestamp: 100, end_timestamp: 2_100 };
    const trail = createAuditTrail({ db: { analyse: heard.read } });
    const plans = await plansOf(trail.page(day));
    expect(plans).toContain('audit_by_created_at');
    expect(plans).not.toMatch(/audit_pkey|SCAN audit\b/);
    expect((await trail.page(day)).items.slice(0, 2).map(({ seq }) => seq)).toEqual([2_200, 2_199]);
  });

  test('rows that have movements of their own are compared with them some thousand at a time, each of them', async () => {
    const db = await open();
    await db.transaction(({ query }) =>
      sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
          INSERT INTO redemption (user_id, key_hmac, key_sealed, status, name, quota, created_at)
          SELECT 1, 'h' || i, '', CASE WHEN i = 11000 THEN 3 ELSE 1 END, 'n', 500, 1 FROM n`.execute(query),
    );
    const { heard, texts } = planned(db);
    const checks = await proveBalances(heard);
    expect(checks.filter(({ ok }) => !ok)).toMatchObject([
      { name: 'used_codes_credited', first_difference: 'redemption:11000: 0 instead of 500' },
    ]);
    expect(texts().filter((text) => /FROM redemption LEFT JOIN transfer/.test(text))).toHaveLength(3);
  });
});
