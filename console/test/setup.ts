import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { clearSession } from '../src/api/session.ts';
import { setLanguage } from '../src/i18n/language.ts';
import { notices } from '../src/ui/notify.ts';
import { confirms, manualCopies, openMenus, previews } from '../src/ui/overlays.ts';
import { now } from './fixtures.ts';

/** A page is transformed when its first test loads it, which takes its time on a busy machine. */
configure({ asyncUtilTimeout: 10_000 });

/** What the browser window holds is shared by all tests of a worker, so each test starts from nothing. */
beforeEach(() => {
  // What is 'today' and 'a minute ago' follows the samples, not the day of the run.
  vi.setSystemTime(now * 1000);
  localStorage.clear();
  sessionStorage.clear();
  clearSession();
  setLanguage('zh');
  notices.set([]);
  confirms.set(undefined);
  manualCopies.set(undefined);
  openMenus.set(undefined);
  previews.set(undefined);
});
afterEach(cleanup);
