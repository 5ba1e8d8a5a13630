import { Link } from '@tanstack/react-router';
import {
  access_confirm_text,
  access_confirm_title,
  access_copy,
  access_create,
  access_docs,
  access_once,
  access_text,
  access_title,
} from '../../../i18n/generated/messages.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { notifyError } from '../../../ui/notify.ts';
import { confirm } from '../../../ui/overlays.ts';
import { part } from '../../../ui/part.tsx';
import { useAccessToken } from '../queries.ts';

const SecretDialog = part(() => import('../../../ui/overlay/SecretDialog.tsx'), 'SecretDialog');

/** The token that calls the management API as this user. Shown once. */
export function AccessTokenCard() {
  const token = useAccessToken();
  const create = async () => {
    const sure = await confirm({
      title: access_confirm_title(),
      text: access_confirm_text(),
      confirmLabel: access_create(),
    });
    if (sure) token.mutate(undefined, { onError: notifyError });
  };
  return (
    <Card title={access_title()} text={access_text()}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button pending={token.isPending} onClick={() => void create()}>
          {access_create()}
        </Button>
        <Link to="/docs/$" params={{ _splat: 'api' }} className="py-1">
          {access_docs()}
        </Link>
      </div>
      {token.data && (
        <SecretDialog
          title={access_title()}
          label={access_title()}
          value={token.data}
          copyLabel={access_copy()}
          note={access_once()}
          onClose={() => token.reset()}
        />
      )}
    </Card>
  );
}
