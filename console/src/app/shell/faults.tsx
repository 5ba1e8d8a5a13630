import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Compass, RefreshCw, TriangleAlert } from 'lucide-react';
import { ApiError, textOf } from '../../api/errors.ts';
import { forgetUserData } from '../../api/forget.ts';
import {
  action_back_home,
  action_retry,
  error_unreachable,
  not_found_text,
  not_found_title,
  page_error_title,
  request_id,
} from '../../i18n/generated/messages.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { useTitle } from '../../ui/useTitle.ts';

export const home = () => (
  <Link to="/" className={buttonClass()}>
    {action_back_home()}
  </Link>
);

/** Stands outside of every layout, so it brings the main landmark itself. */
export function NotFound() {
  useTitle(not_found_title());
  return (
    <main id="main" tabIndex={-1} className="outline-none">
      <h1 className="sr-only">{not_found_title()}</h1>
      <EmptyState icon={Compass} title={not_found_title()} text={not_found_text()} action={home()} />
    </main>
  );
}

/** A page that broke: what happened, and another try. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const client = useQueryClient();
  const requestId = error instanceof ApiError ? error.requestId : '';
  // A part that did not come once does not come later: its promise is kept.
  const isLost = /(imported|a) module/.test(String(error));
  const retry = () => {
    if (isLost) return location.reload();
    // What broke the page may be what it had read.
    forgetUserData(client);
    reset();
    void router.invalidate();
  };
  return (
    <div role="alert">
      <h1 className="sr-only">{page_error_title()}</h1>
      <EmptyState
        icon={TriangleAlert}
        title={page_error_title()}
        text={(isLost ? error_unreachable() : textOf(error)) + (requestId && `\n${request_id({ id: requestId })}`)}
        action={
          <>
            <Button icon={RefreshCw} tone="primary" onClick={retry}>
              {action_retry()}
            </Button>
            {home()}
          </>
        }
      />
    </div>
  );
}
