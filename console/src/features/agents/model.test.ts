import { agentStatus, dividendStatus, withdrawalStatus } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { agency, everyWithdrawal } from '../../../test/agents.ts';
import { centsInput, parseCents } from '../../ui/payment/cents.ts';
import { actionsFor, agentFaces, dateOf, dividendFaces, parseRate, rateText, withdrawalFaces } from './model.ts';
import { readAgentSearch, readManageSearch } from './search.ts';
import { withdrawalFaults } from './WithdrawDialog.tsx';

describe('the amounts of agents', () => {
  it('reads cents exactly and refuses what is none', () => {
    expect(['100', '¥1,234.5', '0.07', '19.99', ' 3. '].map(parseCents)).toEqual([10_000, 123_450, 7, 1999, 300]);
    expect(['', '-1', '1.234', '1e3', 'x', '9'.repeat(15), '10,50'].map(parseCents)).toEqual(Array(7).fill(undefined));
    for (const cents of [1, 7, 10, 1999, 100_000, 123_450]) expect(parseCents(centsInput(cents))).toBe(cents);
  });

  it('reads rates as percent, exactly', () => {
    expect(['10', '12.5', '0.0001', '100', '33.3333%', '7.', '１２．５％'].map(parseRate)).toEqual([
      ...[0.1, 0.125, 0.000001, 1, 0.333333, 0.07, 0.125],
    ]);
    expect(['', '100.0001', '-1', '1.23456', 'x'].map(parseRate)).toEqual(Array(5).fill(undefined));
    expect([0.1, 0.125, 0.07, 1, 0.000001].map(rateText)).toEqual(['10%', '12.5%', '7%', '100%', '0.0001%']);
  });

  it('has the date of a day although clocks were changed since the first one', () => {
    const begins = [
      [3, 23],
      [4, 0],
      [4, 1],
    ].map(([day = 0, hour]) => new Date(2026, 10, day, hour).getTime() / 1000);
    expect(begins.map((time) => dateOf({ time }))).toEqual(Array(3).fill('2026-11-04'));
  });

  it('has a word for every state of the contract', () => {
    expect(Object.keys(agentFaces)).toEqual(Object.values(agentStatus).map(String).sort());
    expect(Object.keys(dividendFaces)).toEqual(Object.values(dividendStatus).map(String).sort());
    expect(Object.keys(withdrawalFaces)).toEqual(Object.values(withdrawalStatus).map(String).sort());
  });

  it('keeps only what it knows of an address', () => {
    expect(readAgentSearch({ metric: 'matured', days: '7', view: 'table', p: '3' })).toEqual({
      ...{ metric: 'matured', days: 7, view: 'table', p: 3, size: undefined },
    });
    expect(readAgentSearch({ metric: 'x', days: '30', view: 'x' })).toEqual({});
    expect(readManageSearch({ tab: 'withdrawals', status: '1', agent: '7', from: 'x' })).toEqual({
      tab: 'withdrawals',
      status: 1,
      agent: 7,
    });
  });

  it('offers administrators what the server would let them do', () => {
    const [waiting, mine, other, paid] = everyWithdrawal;
    if (!waiting || !mine || !other || !paid) throw new Error('the samples are gone');
    const clerk = { id: 2, role: 10 };
    expect(actionsFor(clerk, waiting)).toEqual(['claim', 'pay', 'reject']);
    expect(actionsFor(clerk, other)).toEqual(['pay', 'reject', 'release']);
    expect(actionsFor(clerk, mine)).toEqual([]);
    expect(actionsFor({ id: 1, role: 100 }, other)).toEqual(['pay', 'reject', 'release']);
    expect(actionsFor(clerk, paid)).toEqual([]);
  });

  it('asks for a payee as the method needs it', () => {
    const wish = { amount: '100', method: 'alipay', payee_name: '李华', payee_account: 'a@b.c', bank_name: '', remark: '' };
    expect(withdrawalFaults(wish, agency)).toEqual({});
    expect(Object.keys(withdrawalFaults({ ...wish, method: 'bank' }, agency))).toEqual(['bank_name']);
    expect(Object.keys(withdrawalFaults({ ...wish, payee_name: '李', payee_account: ' ' }, agency))).toEqual([
      'payee_name',
      'payee_account',
    ]);
    expect(withdrawalFaults({ ...wish, method: 'quota', payee_name: '', payee_account: '' }, agency)).toEqual({});
    expect(withdrawalFaults({ ...wish, amount: '99.99' }, agency).amount).toBe('提现金额不能小于 ¥100.00');
    expect(withdrawalFaults({ ...wish, amount: '1234.57' }, agency).amount).toBe('最多可提 ¥1,234.56');
  });
});
