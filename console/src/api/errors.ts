import {
  error_demo_site,
  error_server,
  error_session_expired,
  error_timeout,
  error_too_many_requests,
  error_unknown,
  error_unreachable,
  error_wait,
  error_with_reason,
} from '../i18n/generated/messages.ts';
import { languageTag } from '../i18n/language.ts';
import { createStore } from '../lib/store.ts';
import { formatWait } from '../lib/wait.ts';

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

/** What is shown may have been changed since: by a write whose answer is missing, or by somebody else, which was the refusal. */
export const isOutdated = (error: unknown): boolean => isUnanswered(error) || (error instanceof ApiError && error.status === 409);

/** Set with every refusal for coming too often: the seconds after which it would not be refused again. */
export const tooOften = createStore(0);

/** The error of an answer that is a refusal. */
export function refusalOf({ status, headers }: Response, serverText: string): ApiError {
  const retryAfterSeconds = Number(headers.get('Retry-After')) || 0;
  if (status === 429) tooOften.set(retryAfterSeconds);
  return new ApiError({
    message: textForStatus(status, serverText, retryAfterSeconds),
    status,
    requestId: headers.get('X-Oneapi-Request-Id') ?? '',
    retryAfterSeconds,
  });
}

/** The error catalogue of the console: what an HTTP status says when the server's own text does not say more. */
export function textForStatus(status: number, serverText: string, wait = 0): string {
  if (status === 401) return error_session_expired();
  if (status === 429) return wait > 0 ? error_wait({ wait: formatWait(wait, languageTag()) }) : error_too_many_requests();
  if (status === 405) return error_demo_site();
  if (status >= 500) return serverText || error_server();
  if (serverText) return serverText;
  return status === 200 ? error_unknown() : error_with_reason({ reason: `HTTP ${status}` });
}

export const textForTransport = (timedOut: boolean): string => (timedOut ? error_timeout() : error_unreachable());

/** The error where no answer came; `late` is what ended the waiting. */
export const unansweredOf = (late: AbortSignal): ApiError =>
  new ApiError({ message: textForTransport(late.aborted), status: 0, requestId: '', retryAfterSeconds: 0 });

/** A text for anything that was thrown. */
export const textOf = (error: unknown): string => (error instanceof Error && error.message ? error.message : error_unknown());
