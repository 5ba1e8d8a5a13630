import { type OptionControl, optionGroups } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { seeNotice } from '../console-walk.ts';

export interface Placed {
  readonly tab: string;
  readonly control: OptionControl;
}

/** Every option with its tab and control. */
export const placed: ReadonlyMap<string, Placed> = new Map(
  Object.values(optionGroups).flatMap(({ tab, options }) =>
    Object.entries(options).map(([key, control]): [string, Placed] => [key, { tab, control }]),
  ),
);

const timeoutMs = 30_000;

const tabs: Readonly<Record<string, string>> = { operation: '运营设置', system: '系统设置', other: '其他设置' };

const openTab = (page: Page, tab: string): Promise<void> =>
  page.getByRole('main').getByRole('link', { name: tabs[tab], exact: true }).click();

/** Sets options as a person does: on the tabs where they stand, with one press of the button that saves all. */
export async function setInBrowser(page: Page, url: string, values: ReadonlyMap<string, string>): Promise<void> {
  await page.goto(`${url}/setting?tab=operation`);
  for (const tab of Object.keys(tabs)) {
    const here = [...values].filter(([key]) => placeOf(key).tab === tab && placeOf(key).control !== 'prices');
    if (here.length === 0) continue;
    await openTab(page, tab);
    for (const [key, value] of here) await setOne(page, key, value);
    await page.getByRole('button', { name: '保存全部' }).click();
    await page
      .getByText('尚未保存')
      .waitFor({ state: 'detached', timeout: timeoutMs })
      .catch(async () => {
        const faults = await page.locator('[id$="-error"], [role="alert"]').allTextContents();
        throw new Error(`not saved on ${tab}: ${faults.join(' | ')}`);
      });
  }
  const prices = [...values].filter(([key]) => placeOf(key).control === 'prices');
  if (prices.length > 0) await setPrices(page, prices);
}

function placeOf(key: string): Placed {
  const place = placed.get(key);
  if (place === undefined) throw new Error(`${key} is no option`);
  return place;
}

async function setOne(page: Page, key: string, value: string): Promise<void> {
  const field = page.locator(`[id="opt-${key}"]`);
  const { control } = placeOf(key);
  if (control === 'switch') {
    const box = field.getByRole('switch');
    if ((await box.isChecked()) === (value === 'true')) return;
    await box.click();
    if (key === 'PasswordLoginEnabled') await page.getByRole('dialog').getByRole('button', { name: '确认关闭' }).click();
  } else if (control === 'choice') await field.getByRole('combobox').selectOption(value);
  else if (control === 'json') await writeJson(page, key, value);
  else if (control === 'chats') {
    await field.getByRole('button', { name: 'JSON 编辑' }).click();
    await writeJson(page, key, value);
  } else await field.locator('input, textarea').first().fill(value);
}

/** The field becomes an editor when it gets the focus. */
async function writeJson(page: Page, key: string, value: string): Promise<void> {
  const field = page.locator(`[id="opt-${key}"]`);
  await field.locator('textarea').focus();
  await field.locator('.cm-content').waitFor({ timeout: timeoutMs });
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(value);
}

async function setPrices(page: Page, prices: readonly [string, string][]): Promise<void> {
  await openTab(page, 'operation');
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  for (const [key, value] of prices) {
    const field = page.getByRole('textbox', { name: key, exact: true });
    await field.focus();
    await page.locator('.cm-content:focus').waitFor({ timeout: timeoutMs });
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(value);
  }
  await page.getByRole('button', { name: '预览并保存' }).click();
  await page.getByRole('button', { name: '保存价格' }).click();
  await seeNotice(page, '保存成功');
}
