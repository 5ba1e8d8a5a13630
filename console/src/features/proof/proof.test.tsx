import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { ok } from '../../../test/mock-api.ts';
import { ledgerState, proof } from '../../../test/prices.ts';
import { renderApp } from '../../../test/render.tsx';

const unproven = ({ path }: { path: string }) =>
  path === '/api/ledger/state' ? ok({ ...ledgerState, hourly: undefined }) : undefined;

it('what the last proof of the site found and what is owed show at once; all is read on request', async () => {
  const { user, calls } = renderApp('/ledger', { signedIn: root });
  await screen.findByText(/最近一次自动核对/);
  expect((await screen.findByText('1,284 位用户的余额')).nextSibling?.textContent).toBe('$3,668,440.00');
  expect(screen.getByText('36 个未使用的兑换码').nextSibling?.textContent).toBe('$180.00');
  await waitFor(() => expect(screen.getByText('未付的代理商收益').nextSibling?.textContent).toBe('¥1,523.10'));
  expect(screen.getByText('充值', { selector: 'dt' }).nextSibling?.textContent).toBe('$5,900,000.00');
  expect(calls.some(({ path }) => path === '/api/ledger/proof')).toBe(false);
  await user.click(screen.getByRole('button', { name: '重新核对' }));
  await screen.findByText(/3 项一致，0 项不一致/);
  expect(screen.queryByText(/最近一次自动核对/)).toBeNull();
});

it('a difference that the site found by itself is named', async () => {
  const hourly = { checked_at: 1, ok: false, difference: 'token_arithmetic: token:5: 5 instead of 6' };
  const override = ({ path }: { path: string }) => (path === '/api/ledger/state' ? ok({ ...ledgerState, hourly }) : undefined);
  renderApp('/ledger', { signedIn: root, override });
  expect((await screen.findByRole('alert')).textContent).toContain('第一处差异：token_arithmetic: token:5: 5 instead of 6');
});

it('where nothing was proven yet, it begins at once; every check says what it compared; it runs again on request', async () => {
  const { user, calls } = renderApp('/ledger', { signedIn: root, override: unproven });
  await screen.findByText('每个钱包的可用额度加预留额度，等于它的全部流水之和');
  await screen.findByText(/3 项一致，0 项不一致/);
  const asked = () => calls.filter(({ path }) => path === '/api/ledger/proof').length;
  expect(asked()).toBe(1);
  await user.click(screen.getByRole('button', { name: '重新核对' }));
  await screen.findByText(/3 项一致/);
  expect(asked()).toBe(2);
});

it('the first difference is named, and a check that is not known yet speaks for itself', async () => {
  const [first, ...others] = proof.checks;
  if (!first) return expect.unreachable();
  const checks = [
    { ...first, ok: false, first_difference: 'user:7: 5 instead of 6' },
    { name: 'new_one', ok: true, detail: 'something new' },
    ...others,
  ];
  const override = ({ path }: { path: string }) =>
    path === '/api/ledger/proof' ? ok({ ok: false, checked_at: 1, checks }) : unproven({ path });
  renderApp('/ledger', { signedIn: root, override });
  await screen.findByText('第一处差异：user:7: 5 instead of 6');
  await screen.findByText('something new');
  await screen.findByText(/3 项一致，1 项不一致/);
});

it('is for root only', async () => {
  const { calls } = renderApp('/ledger', { signedIn: common });
  await screen.findByRole('heading', { level: 1 });
  expect(calls.some(({ path }) => path.startsWith('/api/ledger/'))).toBe(false);
});
