import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Browser, openBrowser } from './browser.ts';
import type { Console } from './console-client.ts';
import { signInAsRoot } from './console-walk.ts';
import { type Gateway, startGateway } from './gateway.ts';

/** A gateway of its own, and a browser in which root has just signed in. */
export interface RootInBrowser {
  readonly gateway: Gateway;
  readonly root: Console;
  readonly browser: Browser;
  readonly page: Page;
  /** Ends both; what went wrong unseen in the browser fails the test. */
  close(): Promise<void>;
}

interface Wishes {
  readonly env?: Record<string, string>;
  /** Before the browser is opened. */
  prepare?(root: Console, gateway: Gateway): Promise<void>;
}

const allWell = async ({ faults }: Browser): Promise<void> => expect(faults).toEqual([]);

export async function openAsRoot({ env, prepare }: Wishes = {}): Promise<RootInBrowser> {
  const gateway = await startGateway(env);
  let browser: Browser | undefined;
  const end = async () => {
    await browser?.close();
    await gateway.stop();
  };
  try {
    const root = await gateway.root();
    await prepare?.(root, gateway);
    const opened = await openBrowser(gateway.url);
    browser = opened;
    const page = await opened.page();
    await signInAsRoot(page, gateway.url);
    return { gateway, root, browser: opened, page, close: () => allWell(opened).finally(end) };
  } catch (error) {
    await end();
    throw error;
  }
}
