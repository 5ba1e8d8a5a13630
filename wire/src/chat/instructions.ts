import type { Part } from './parts.ts';
import type { Message } from './request.ts';

/**
 * The conversation for dialects whose instructions are text alone: what is shown in instructions is shown by the user
 * behind them. The same list where nothing is.
 */
export function withShownByUser(messages: readonly Message[]): readonly Message[] {
  const isShowing = ({ role, parts }: Message) => role === 'system' && parts.some(isMedia);
  if (!messages.some(isShowing)) return messages;
  return messages.flatMap((message): Message[] => {
    if (!isShowing(message)) return [message];
    const said = message.parts.filter((part) => !isMedia(part));
    const shown: Message = { role: 'user', parts: message.parts.filter(isMedia) };
    return said.length === 0 ? [shown] : [{ ...message, parts: said }, shown];
  });
}

function isMedia({ kind }: Part): boolean {
  return kind === 'image' || kind === 'file' || kind === 'audio';
}
