import { ApiError, isUnanswered, textOf } from '../../api/errors.ts';
import { login_title, save_expired, save_unknown } from '../../i18n/generated/messages.ts';
import { Alert } from '../Alert.tsx';

const isStatus = (error: Error, status: number): boolean => error instanceof ApiError && error.status === status;

/** Why what was typed is not saved, and what to do: to look before it is done twice, or to sign in beside it. */
export function SaveFault({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <Alert tone="bad">
      {textOf(error)}
      {/* With a 503 our own server says that it did nothing. */}
      {isUnanswered(error) && !isStatus(error, 503) && <p>{save_unknown()}</p>}
      {isStatus(error, 401) && (
        <p>
          {save_expired()}{' '}
          <a href="/login" target="_blank" rel="noreferrer" className="underline">
            {login_title()}
          </a>
        </p>
      )}
    </Alert>
  );
}
