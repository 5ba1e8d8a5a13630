import { RefreshCw } from 'lucide-react';
import { action_refresh } from '../i18n/generated/messages.ts';
import { IconButton } from './Button.tsx';

/** Reads again what a page shows. */
export const RefreshButton = ({ onClick }: { onClick(): void }) => (
  <IconButton icon={RefreshCw} label={action_refresh()} onClick={onClick} />
);
