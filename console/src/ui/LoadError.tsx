import { RefreshCw, ServerCrash } from 'lucide-react';
import { ApiError, textOf } from '../api/errors.ts';
import { action_retry, list_error, request_id } from '../i18n/generated/messages.ts';
import { Button } from './Button.tsx';
import { EmptyState } from './EmptyState.tsx';

/** What the page shows could not be read. */
export function LoadError({ error, retry }: { error: Error; retry(): unknown }) {
  const requestId = error instanceof ApiError ? error.requestId : '';
  return (
    <div role="alert">
      <EmptyState
        icon={ServerCrash}
        title={list_error()}
        text={requestId ? `${textOf(error)} · ${request_id({ id: requestId })}` : textOf(error)}
        action={
          <Button icon={RefreshCw} after={error} onClick={() => retry()}>
            {action_retry()}
          </Button>
        }
      />
    </div>
  );
}
