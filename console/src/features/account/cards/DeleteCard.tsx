import type { User } from '@tollgate/contract';
import { lazy, Suspense, useState } from 'react';
import { remove_action, remove_text, remove_title } from '../../../i18n/generated/messages.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';

const DeleteDialog = lazy(async () => ({ default: (await import('../DeleteDialog.tsx')).DeleteDialog }));

export function DeleteCard({ self }: { self: User }) {
  const [open, setOpen] = useState(false);
  return (
    <Card title={remove_title()} text={remove_text()}>
      <Button tone="bad" onClick={() => setOpen(true)}>
        {remove_action()}
      </Button>
      {open && (
        <Suspense>
          <DeleteDialog username={self.username} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Card>
  );
}
