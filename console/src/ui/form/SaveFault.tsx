import { textOf } from '../../api/errors.ts';
import { nav_login } from '../../i18n/generated/messages.ts';
import { Alert } from '../Alert.tsx';
import { isExpired, saveHint } from './save-hint.ts';

/** Why what was typed is not saved, and what to do. */
export function SaveFault({ error }: { error: Error | null }) {
  if (!error) return null;
  const hint = saveHint(error);
  return (
    <Alert tone="bad">
      {textOf(error)}
      {hint && (
        <p>
          {hint}{' '}
          {isExpired(error) && (
            <a href="/login" target="_blank" rel="noreferrer" className="underline">
              {nav_login()}
            </a>
          )}
        </p>
      )}
    </Alert>
  );
}
