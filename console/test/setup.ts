import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach } from 'vitest';
import { clearSession } from '../src/api/session.ts';
import { setLanguage } from '../src/i18n/language.ts';
import { notices } from '../src/ui/notify.ts';
import { confirms, manualCopies, openMenus } from '../src/ui/overlays.ts';

/** What the browser window holds is shared by all tests of a worker, so each test starts from nothing. */
beforeEach(() => {
  localStorage.clear();
  clearSession();
  setLanguage('zh');
  notices.set([]);
  confirms.set(undefined);
  manualCopies.set(undefined);
  openMenus.set(undefined);
});
afterEach(cleanup);
