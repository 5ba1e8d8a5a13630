import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { ok } from '../../../test/mock-api.ts';
import { proof } from '../../../test/prices.ts';
import { renderApp } from '../../../test/render.tsx';

it('every check says what it compared; it runs again on request', async () => {
  const { user, calls } = renderApp('/ledger', { signedIn: root });
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
    path === '/api/ledger/proof' ? ok({ ok: false, checked_at: 1, checks }) : undefined;
  renderApp('/ledger', { signedIn: root, override });
  await screen.findByText('第一处差异：user:7: 5 instead of 6');
  await screen.findByText('something new');
  await screen.findByText(/3 项一致，1 项不一致/);
});

it('is for root only', async () => {
  const { calls } = renderApp('/ledger', { signedIn: common });
  await screen.findByRole('heading', { level: 1 });
  expect(calls.some(({ path }) => path === '/api/ledger/proof')).toBe(false);
});
