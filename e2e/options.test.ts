import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { OptionRow } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import { signInAsRoot } from './support/console-walk.ts';
import { accountBatches } from './support/options/accounts.ts';
import { bodyBatches } from './support/options/bodies.ts';
import { channelBatches } from './support/options/channels.ts';
import { doorBatches } from './support/options/doors.ts';
import { mailBatches } from './support/options/mail.ts';
import { pageBatches } from './support/options/pages.ts';
import { paymentBatches } from './support/options/payments.ts';
import { priceBatches } from './support/options/prices.ts';
import { relayBatches } from './support/options/relay.ts';
import { type Batch, openScene, type Scene, type Sight } from './support/options/scene.ts';
import { placed, setInBrowser } from './support/options/set.ts';

/** Options whose effect a walk cannot see, be it that days must pass: where it is proven instead. */
const provenElsewhere: Readonly<Record<string, string>> = {
  AlertChannelDownMinutes: 'server/src/notify/watches.test.ts',
  AlertCostRatio: 'server/src/notify/watches.test.ts',
  AlertDiskFree: 'server/src/notify/watches.test.ts',
  AlertErrorRate: 'server/src/notify/watches.test.ts',
  AlertErrorRateCalls: 'server/src/notify/watches.test.ts',
  AlertUpstreamBalance: 'server/src/notify/watches.test.ts',
  ChannelTestFrequency: 'server/src/api/channel-jobs.test.ts',
  ChannelUpdateFrequency: 'server/src/api/channel-jobs.test.ts',
  DataExportInterval: 'server/src/api/data.test.ts',
  InviteHoldDays: 'server/src/billing/invite.test.ts',
  InviteSameDeviceRewarded: 'server/src/billing/invite.test.ts',
  InviteSameEmailRewarded: 'server/src/identity/invited-person.test.ts',
  LogBodies: 'e2e/log.test.ts',
  MjAccountFilterEnabled: 'e2e/drawings.test.ts',
  MjActionCheckSuccessEnabled: 'e2e/drawings.test.ts',
  MjForwardUrlEnabled: 'e2e/drawings.test.ts',
  MjModeClearEnabled: 'e2e/drawings.test.ts',
  ModelFirstByteSeconds: 'server/src/relay/open-attempt.test.ts',
  PriceWatchHours: 'server/src/notify/price-source.test.ts',
  PriceWatchPercent: 'server/src/notify/price-source.test.ts',
  PriceWatchSource: 'server/src/notify/price-source.test.ts',
  QuotaRemindThreshold: 'server/src/notify/watches.test.ts',
  UsagePromptFactor: 'server/src/relay/sane-usage.test.ts',
  WxPusherAppToken: 'server/src/notify/outbox.test.ts',
  WxPusherEnabled: 'server/src/notify/outbox.test.ts',
};

const batches: readonly Batch[] = [
  ...pageBatches,
  ...relayBatches,
  ...bodyBatches,
  ...priceBatches,
  ...channelBatches,
  ...paymentBatches,
  ...mailBatches,
  ...accountBatches,
  ...doorBatches,
];

/**
 * Batches that do not disturb each other are set in one go. Their lines are looked at side by side; what stands in one line comes
 * one after the other, as calls of one upstream must.
 */
const rounds: readonly (readonly (readonly string[])[])[] = [
  [['the status of the site'], ['what the pages show'], ['a mail server'], ['retries and affinity', 'a reserve', 'no price']],
  [['words, counts and pings', 'other dialects', 'a small hold'], ['guests from the same address']],
  [['what is logged', 'no check'], ['gifts'], ['a card service with a price of its own'], ['agents']],
  [['no check of prompts', 'bytes as they came', 'a large hold'], ['rewards once a day'], ['agents who are appointed']],
  [['no suffix for thinking', 'a limit of requests'], ['rewards that wait'], ['prices'], ['a payment service']],
  [['a limit of answers'], ['rebates'], ['a card service']],
  [['groups', 'bodies'], ['rebates with an end'], ['doors']],
  [['limits of a group'], ['a provider without a document'], ['registration by others only']],
  [['channels that fail', 'channels that are slow'], ['doors that are closed']],
  [['a bot check'], ['a mail server that does not speak TLS']],
  [['channels that are well again'], ['registration by mail', 'mail addresses']],
];

function batchOf(name: string): Batch {
  const batch = batches.find((each) => each.name === name);
  if (batch === undefined) throw new Error(`there is no batch ${name}`);
  return batch;
}

test('every option that exists has its row, and every row has its round', () => {
  const looked = batches.flatMap(({ rows }) => rows.map(({ key }) => key));
  const covered = new Set([...looked, ...Object.keys(provenElsewhere)]);
  for (const [key, file] of Object.entries(provenElsewhere)) {
    expect(readFileSync(path.join(import.meta.dirname, '..', file), 'utf8')).toContain(key);
  }
  // A definition without a place does not compile. What has no control is kept for sites that are moved here and has no effect.
  expect([...placed].flatMap(([key, { tab }]) => (tab === 'none' || covered.has(key) ? [] : [key]))).toEqual([]);
  expect(rounds.flat(2).toSorted()).toEqual(batches.map(({ name }) => name).toSorted());
});

describe.skipIf(chromiumPath === undefined)('an option that is set in the browser is in effect', () => {
  let scene: Scene;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    scene = await openScene();
    browser = await openBrowser(scene.gateway.url);
    page = await browser.page();
    await signInAsRoot(page, scene.gateway.url);
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.close();
  });

  const stored = async () =>
    new Map((await scene.root.call<OptionRow[]>('GET', '/api/option/')).map((option) => [option.key, option]));

  /** Everything as it was; secrets are cleared. */
  const restore = async (keys: readonly string[]) => {
    const options = await stored();
    const changes = keys.map((key) => ({ key, value: options.get(key)?.default ?? '' }));
    await scene.root.call('PUT', '/api/option/', changes);
  };

  /** What is to be set for all of them; throws when two want something different. */
  const valuesOf = (wanted: readonly Batch[]) => {
    const values = new Map<string, string>();
    for (const { given = {}, rows } of wanted) {
      for (const [key, to] of [...Object.entries(given), ...rows.map((each) => [each.key, each.to] as const)]) {
        const value = typeof to === 'string' ? to : to(scene);
        if ((values.get(key) ?? value) !== value) throw new Error(`${key} is wanted in two ways`);
        values.set(key, value);
      }
    }
    return values;
  };

  const judge = async ({ rows }: Batch) => {
    let sight: Sight = { ...scene, page, browser };
    for (const { key, see, is } of rows) {
      let tries = 0;
      const look = async () => {
        if (tries > 0) sight = { ...sight };
        tries += 1;
        return { [key]: await see(sight) };
      };
      await expect.poll(look, { timeout: 30_000 }).toEqual({ [key]: is });
    }
  };

  test.each(rounds.map((lines) => [lines.flat().join(', '), lines] as const))('%s', { timeout: 240_000 }, async (_, lines) => {
    const round = lines.map((line) => line.map(batchOf));
    for (const batch of round.flat()) await batch.prepare?.({ ...scene, page, browser });
    const values = valuesOf(round.flat());
    try {
      await setInBrowser(page, scene.gateway.url, values);
      const judged = await Promise.allSettled(
        round.map(async (line) => {
          for (const batch of line) await judge(batch);
        }),
      );
      const faults = judged.flatMap((line) => (line.status === 'rejected' ? [line.reason] : []));
      if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('\n'));
    } finally {
      await restore([...values.keys()]);
    }
  });

  test('nothing failed in the browser on the way', () => {
    expect(browser.faults).toEqual([]);
  });
});
