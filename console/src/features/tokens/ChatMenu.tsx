import type { Token } from '@tollgate/contract';
import { MessageSquare } from 'lucide-react';
import { serverAddressOf, useStatus } from '../../api/status.ts';
import { chat_broken, chat_none, nav_chat } from '../../i18n/generated/messages.ts';
import { chatAddress, openChat, readChats } from '../../lib/chats.ts';
import { IconButton } from '../../ui/Button.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { notify } from '../../ui/notify.ts';
import { fullKey } from './model.ts';

/** Opens one of the operator's chat clients with this token. */
export function ChatMenu({ token, className }: { token: Token; className: string }) {
  const status = useStatus();
  const links = readChats(status?.chats);
  const open = (template: string) => {
    const address = chatAddress(template, fullKey(token), serverAddressOf(status));
    if (address === undefined) notify('bad', chat_broken());
    else openChat(address);
  };
  if (!links || links.length === 0) {
    const why = links ? chat_none() : chat_broken();
    return (
      <IconButton
        icon={MessageSquare}
        label={nav_chat()}
        data-tip={why}
        aria-disabled
        className="opacity-45"
        size="sm"
        onClick={() => notify('warn', why)}
      />
    );
  }
  const items = () => links.map(({ label, template }, index) => ({ key: String(index), label, onSelect: () => open(template) }));
  return (
    <MenuButton label={nav_chat()} items={items} className={className}>
      <MessageSquare size={16} aria-hidden />
    </MenuButton>
  );
}
