import { screen, waitFor, within } from '@testing-library/react';
import { movementKinds } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { statementOf } from '../../../test/money.ts';
import { renderApp } from '../../../test/render.tsx';
import { readStatementSearch } from './search.ts';
import { linesOf, monthChoices } from './statement.ts';

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

describe('the months of a statement', () => {
  it('are the last two years, across the turn of a year, and the one that is shown', () => {
    const choices = monthChoices('2020-05', new Date(2026, 1, 28));
    expect([choices[0], choices[1], choices[2], choices[23], choices[24]]).toEqual([
      ...['2026-02', '2026-01', '2025-12', '2024-03', '2020-05'],
    ]);
    expect(monthChoices('2026-01', new Date(2026, 1, 28))).toHaveLength(24);
  });

  it('stand in the address, like the user', () => {
    expect(readStatementSearch({ month: '2026-11', user: '7' })).toEqual({ month: '2026-11', user: 7 });
    expect(readStatementSearch({ month: '', user: '0' })).toEqual({ month: undefined, user: undefined });
  });
});

describe('the lines of a statement', () => {
  it('have words for all that moves a balance, and what nobody knows yet is among the gifts', () => {
    const named = (kind: string) =>
      linesOf(statementOf('', { charges: [], movements: [{ kind, count: 1, amount: 1 }] }))[1]?.name;
    const gifts = ['grant', 'invite', 'affiliate', 'conversion', 'reversal', 'later'];
    for (const kind of gifts) expect(named(kind)).toBe('赠送与奖励');
    const others = movementKinds.filter((kind) => !gifts.includes(kind)).map(named);
    expect(others).toEqual(['充值', '兑换码', '管理员修改', '退还的调用费用', '充值退款', '期初余额']);
  });

  it('add up', () => {
    const amounts = linesOf(statementOf('2026-10')).map(({ amount }) => amount);
    expect(amounts.slice(0, -1).reduce((sum, amount) => sum + amount, 0)).toBe(amounts.at(-1));
  });
});

describe('a statement', () => {
  it("leads to the month's rows of the log, whose file it adds up with", async () => {
    const app = renderApp('/topup/statement?month=2026-10', { signedIn: common });
    const { start, end } = statementOf('2026-10');
    await screen.findByText('期初余额');
    const link = within(screen.getByRole('main')).getByRole('link', { name: '日志' });
    expect(link.getAttribute('href')).toBe(`/log?from=${start}&to=${end - 1}`);
    expect(app.calls.some(({ path }) => path === '/api/statement/self')).toBe(true);
  });

  it('of an agency is in its currency, from what an agent had earned to what is left of it', async () => {
    const { charged, charges, ...month } = statementOf('2026-10', {
      ...{ opening: 1000, closing: 1150 },
      movements: [
        { kind: 'dividend', count: 3, amount: 900 },
        { kind: 'refund', count: 1, amount: -250 },
        { kind: 'withdrawal', count: 1, amount: -500 },
      ],
    });
    renderApp('/topup/statement?agency=1&month=2026-10', {
      signedIn: common,
      override: ({ path }) => (path === '/api/agent/self/statement' ? ok(month) : undefined),
    });
    const table = (await screen.findByText('期初余额')).closest('table') as HTMLElement;
    const cells = [...table.querySelectorAll('tbody tr')].map((row) =>
      [...row.children].slice(0, 3).map((cell) => cell.textContent),
    );
    expect(cells).toEqual([
      ['期初余额', '¥10.00', ''],
      ['分红记录', '¥9.00', '3'],
      ['充值退款', '-¥2.50', '1'],
      ['提现记录', '-¥5.00', '1'],
      ['期末余额', '¥11.50', ''],
    ]);
    expect(within(screen.getByRole('main')).queryByRole('link', { name: '日志' })).toBeNull();
  });

  it('shows what a month began with, what moved, what it went for and what was left, to the unit', async () => {
    const app = renderApp('/topup', { signedIn: common });
    await app.user.click(await screen.findByRole('link', { name: '月账单' }));
    const table = (await screen.findByText('期初余额')).closest('table') as HTMLElement;
    const rows = within(table).getAllByRole('row').slice(1);
    const cells = rows.map((row) =>
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    );
    expect(cells).toEqual([
      ['期初余额', '$5.000000', '', '', ''],
      ['充值', '$20.000000', '2', '', ''],
      ['兑换码', '$1.000000', '1', '', ''],
      ['退还的调用费用', '$0.002468', '1', '', ''],
      ['管理员修改', '-$0.500000', '1', '', ''],
      ['claude-sonnet-4-5 · work', '-$8.000000', '812', '5,120,000', '411,000'],
      ['gpt-4o-mini · home', '-$0.642000', '96', '204,800', '40,960'],
      ['期末余额', '$16.860468', '', '', ''],
    ]);
    const [now = '', last = ''] = monthChoices('');
    await app.user.selectOptions(screen.getByRole('combobox', { name: '时间' }), last);
    const asked = () => app.calls.filter(({ path }) => path === '/api/statement/self').map(({ query }) => query);
    await waitFor(() => expect(asked()).toEqual([now, last].map((month) => ({ month, time_zone: zone }))));
    expect(app.router.state.location.search).toEqual({ month: last });
  });

  it('is of another user for administrators alone', async () => {
    const asRoot = renderApp('/topup/statement?user=7&month=2026-10', { signedIn: root });
    await screen.findByText('alice · 2026-10');
    expect(asRoot.calls.some(({ path }) => path === '/api/statement/7')).toBe(true);
    const own = renderApp('/topup/statement?user=9', { signedIn: common });
    await waitFor(() => expect(own.calls.some(({ path }) => path === '/api/statement/self')).toBe(true));
    expect(own.calls.some(({ path }) => path === '/api/statement/9')).toBe(false);
  });

  it('says why there is none, and names the charges that were put together', async () => {
    const others = { model: '', token: '', calls: 5, prompt_tokens: 1, completion_tokens: 1, quota: 5 };
    let refused = true;
    const app = renderApp('/topup/statement', {
      signedIn: common,
      override: ({ path, query }) => {
        if (path !== '/api/statement/self') return undefined;
        return refused ? refuse('没有这个月的账单') : ok(statementOf(query.month ?? '', { charges: [others] }));
      },
    });
    expect(await screen.findByText(/没有这个月的账单/)).toBeTruthy();
    refused = false;
    await app.user.click(screen.getByRole('button', { name: '重试' }));
    expect(await screen.findByText('… ·')).toBeTruthy();
  });
});
