import {
  error_demo_site,
  error_server,
  error_session_expired,
  error_timeout,
  error_too_many_requests,
  error_unknown,
  error_unreachable,
  error_with_reason,
} from '../i18n/generated/messages.ts';

interface Fault {
  /** For people, in the language of the call. */
  message: string;
  /** HTTP status; 0 when no answer came. */
  status: number;
  requestId: string;
  retryAfterSeconds: number;
}

/** The one error that the client throws. The caller decides between toast, field and page. */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string;
  readonly retryAfterSeconds: number;
  constructor(fault: Fault) {
    super(fault.message);
    this.name = 'ApiError';
    this.status = fault.status;
    this.requestId = fault.requestId;
    this.retryAfterSeconds = fault.retryAfterSeconds;
  }
}

/** No answer came, or not from our server: whether it was done nobody knows. */
export const isUnanswered = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 502);

/** The error catalogue of the console: what an HTTP status says when the server's own text does not say more. */
export function textForStatus(status: number, serverText: string): string {
  if (status === 401) return error_session_expired();
  if (status === 429) return error_too_many_requests();
  if (status === 405) return error_demo_site();
  if (status >= 500) return serverText || error_server();
  if (serverText) return serverText;
  return status === 200 ? error_unknown() : error_with_reason({ reason: `HTTP ${status}` });
}

export const textForTransport = (timedOut: boolean): string => (timedOut ? error_timeout() : error_unreachable());

/** A text for anything that was thrown. */
export const textOf = (error: unknown): string => (error instanceof Error && error.message ? error.message : error_unknown());
