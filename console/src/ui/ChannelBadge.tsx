import { Link } from '@tanstack/react-router';
import { open_channel } from '../i18n/generated/messages.ts';
import { badgeClass } from './Badge.tsx';

/** A channel's number, which leads to it. */
export function ChannelBadge({ id, name }: { id: number; name?: string }) {
  return (
    <Link
      to="/channel"
      search={{ keyword: String(id) }}
      preload={false}
      className={badgeClass()}
      data-tip={name || undefined}
      aria-label={open_channel({ id })}
    >
      #{id}
    </Link>
  );
}
