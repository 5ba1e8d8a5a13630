import { textOf } from '../../api/errors.ts';
import { nav_login } from '../../i18n/generated/messages.ts';
import { Alert } from '../Alert.tsx';
import { isExpired, saveHint } from './save-hint.ts';

/** In a long form it stands far from the button that was pressed. */
const bringIntoView = (fault: HTMLElement | null) => fault?.scrollIntoView({ block: 'nearest' });

/** Why what was typed is not saved, and what to do. */
export function SaveFault({ error }: { error: Error | null }) {
  if (!error) return null;
  const hint = saveHint(error);
  return (
    <div ref={bringIntoView}>
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
    </div>
  );
}
