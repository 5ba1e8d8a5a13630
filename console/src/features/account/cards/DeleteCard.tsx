import type { User } from '@tollgate/contract';
import { useState } from 'react';
import { remove_action, remove_text, remove_title } from '../../../i18n/generated/messages.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { part } from '../../../ui/part.tsx';

const DeleteDialog = part(() => import('../DeleteDialog.tsx'), 'DeleteDialog');

export function DeleteCard({ self }: { self: User }) {
  const [open, setOpen] = useState(false);
  return (
    <Card title={remove_title()} text={remove_text()}>
      <Button tone="bad" onClick={() => setOpen(true)}>
        {remove_action()}
      </Button>
      {open && <DeleteDialog username={self.username} onClose={() => setOpen(false)} />}
    </Card>
  );
}
