import { screen, within } from '@testing-library/react';
import type { ImportReport } from '@tollgate/contract';
import { expect, it } from 'vitest';
import { root } from '../../../test/fixtures.ts';
import { imported } from '../../../test/imports.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';

const { report } = imported;
const after = report?.after && { ...report.after, balance: 1 };

it.each<[string, Partial<ImportReport>]>([
  ['两边的合计与密钥一致。', {}],
  ['导入之后来源有变化，合计因此不同：补差会导入差额。', { after }],
  ['合计相差的部分在两边同时消费，无法再次扣除：见下方说明。', { after, mode: 'delta' }],
  ['此处与来源不一致，未自动更正。请核对下面的合计。', { after, mode: 'delta', ok: false }],
])('says how the sums of both sides are to be read: %s', async (verdict, more) => {
  renderApp('/import', {
    signedIn: root,
    override: ({ method, path }) =>
      method === 'GET' && path === '/api/import' ? ok({ ...imported, report: { ...report, ...more } }) : undefined,
  });
  expect(await screen.findByText(verdict)).toBeTruthy();
});

it('has sheets that a keyboard can scroll', async () => {
  renderApp('/import', {
    signedIn: root,
    override: ({ method, path }) => (method === 'GET' && path === '/api/import' ? ok(imported) : undefined),
  });
  for (const name of ['数据', '余额']) {
    const sheet = await screen.findByRole('region', { name });
    expect(sheet.tabIndex).toBe(0);
    expect(within(sheet).getAllByRole('columnheader')[0]?.textContent).toBe('数据');
  }
});

it('keeps what was typed where the state could not be read again', async () => {
  let isDown = false;
  const app = renderApp('/import', {
    signedIn: root,
    override: ({ method, path }) =>
      method === 'GET' && path === '/api/import' ? (isDown ? refuse('数据库忙', 500) : ok(imported)) : undefined,
  });
  const source = await screen.findByLabelText<HTMLInputElement>(/来源/);
  await app.user.type(source, '/data/old.db');
  await screen.findByRole('region', { name: '余额' });
  isDown = true;
  await app.readAgain();
  expect(await screen.findByText(/数据库忙/)).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>(/来源/).value).toBe('/data/old.db');
});
