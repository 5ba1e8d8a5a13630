import type { Status } from '@tollgate/contract';

/** The version that this page was built as; "" where it was not built. */
export const pageVersion: string = import.meta.env.VITE_TOLLGATE_VERSION ?? '';

/** The server runs another version than the page: what it answers may not be what the page expects. */
export const isOutdated = (status: Status | undefined): boolean =>
  pageVersion !== '' && status !== undefined && status.version !== '' && status.version !== pageVersion;
