import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import { type Console, signIn } from './support/console-client.ts';
import { accessibilityFaults, scrollsSideways } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { fixtureTables, oldPassword, tokenRow, userRow, writeSqliteFixture } from './support/import-fixture.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';
import { settled } from './support/settled.ts';

describe.skipIf(chromiumPath === undefined)('an import in a browser', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-import-'));
  const source = path.join(folder, 'one-api.db');
  let gateway: Gateway;
  let root: Console;
  let shown: RootInBrowser;
  let page: Page;

  beforeAll(async () => {
    writeSqliteFixture(source, fixtureTables['new-api'], {
      users: [
        userRow(1, { username: 'root', role: 100, quota: 7 }),
        userRow(3, { username: 'alice', quota: 5_000_000 }),
        userRow(4, { username: 'owing', quota: -500_000 }),
      ],
      tokens: [tokenRow(5, 3)],
      channels: [],
      options: [],
    });
    shown = await openAsRoot();
    ({ gateway, root, page } = shown);
  });
  afterAll(async () => {
    await shown.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async () => {
    await page.goto(`${gateway.url}/import`);
    await page.getByRole('heading', { level: 1, name: '导入数据' }).waitFor();
    await settled(page);
  };
  const cells = async (report: string, row: string) =>
    page
      .getByRole('table', { name: report })
      .getByRole('row', { name: new RegExp(`^${row}`) })
      .getByRole('cell')
      .allTextContents();

  test('is looked at first and changes nothing', async () => {
    await open();
    await page.getByRole('button', { name: '试运行' }).click();
    await page.getByText('请填写来源数据库').waitFor();
    await page.getByLabel('来源数据库').fill(path.join(folder, 'none.db'));
    await page.getByLabel('来源数据库').press('Enter');
    await page.getByRole('alert').getByText('没有文件').waitFor();
    await page.getByLabel('来源数据库').fill(source);
    await page.getByRole('button', { name: '试运行' }).click();
    await page.getByRole('region', { name: '试运行结果' }).waitFor();
    expect(await cells('试运行结果', '用户')).toEqual(['3', '3', '0', '0', '0']);
    await page.getByText('余额为负：以 0 开户，欠款不导入').click();
    await page.getByText('owing').waitFor();
    await expect(signIn(gateway.url, 'alice', oldPassword)).rejects.toThrow();
  });

  test('is confirmed, comes, and shows that the sums agree; the old password signs in', async () => {
    await page.getByLabel('来源数据库').fill(source);
    await page.getByRole('button', { name: '导入', exact: true }).click();
    await page.getByRole('dialog', { name: '开始导入？' }).getByRole('button', { name: '导入' }).click();
    const report = page.getByRole('region', { name: '导入结果' });
    await report.getByText('两边的合计与密钥一致。').waitFor();
    expect(await cells('导入结果', '用户')).toEqual(['3', '3', '0', '0', '0']);
    expect(await cells('余额', '余额')).toEqual(['$10.00', '$10.00']);
    expect(await (await signIn(gateway.url, 'alice', oldPassword)).self()).toMatchObject({ quota: 5_000_000 });
    expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
    // Who looks later sees it, too.
    await open();
    await report.waitFor();
  });

  test('is usable on a phone and by assistive technology', async () => {
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await scrollsSideways(page), `at ${width} px`).toBe(false);
      expect(await accessibilityFaults(page), `at ${width} px`).toEqual([]);
    }
    // What goes on beyond the screen's edge is seen to.
    const shade = "getComputedStyle(document.querySelector('[aria-label=导入结果] section')).backgroundAttachment";
    expect(await page.evaluate(shade)).toBe('local, scroll');
  });
});
