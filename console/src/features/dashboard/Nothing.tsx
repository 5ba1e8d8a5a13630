import { Link } from '@tanstack/react-router';
import { ChartNoAxesColumn } from 'lucide-react';
import {
  dash_empty,
  dash_empty_filtered,
  dash_empty_text,
  dash_first_channel,
  dash_first_token_key,
  dash_show_month,
  list_clear_filters,
} from '../../i18n/generated/messages.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';

interface Props {
  filtered: boolean;
  clear(): void;
  showMonth(): void;
  /** The account never called anything. */
  fresh: boolean;
  admin: boolean;
}

/** No call in the range: what to do about it. */
export function Nothing({ filtered, clear, showMonth, fresh, admin }: Props) {
  if (filtered) {
    return (
      <EmptyState
        icon={ChartNoAxesColumn}
        title={dash_empty_filtered()}
        action={<Button onClick={clear}>{list_clear_filters()}</Button>}
      />
    );
  }
  return (
    <EmptyState
      icon={ChartNoAxesColumn}
      title={dash_empty()}
      text={fresh ? dash_empty_text() : undefined}
      action={
        <>
          {admin && fresh && (
            <Link to="/channel/add" className={buttonClass()}>
              {dash_first_channel()}
            </Link>
          )}
          {fresh ? (
            <Link to="/token/add" className={buttonClass('primary')}>
              {dash_first_token_key()}
            </Link>
          ) : (
            <Button onClick={showMonth}>{dash_show_month()}</Button>
          )}
        </>
      }
    />
  );
}
