import { useEffect, useRef } from 'react';
import { door_telegram_frame } from '../../i18n/generated/messages.ts';
import { parseRecord } from '../../lib/json.ts';

const origin = 'https://oauth.telegram.org';
const defaultHeight = 40;

function addressOf(bot: string): string {
  const query = new URLSearchParams({ origin: location.origin, return_to: location.href, size: 'large', radius: '6' });
  return `${origin}/embed/${encodeURIComponent(bot.replace(/^@/, ''))}?${query}`;
}

/** The signed fields of one message of the frame; undefined for its other messages. */
export function fieldsOf(message: unknown): Record<string, string> | undefined {
  const { event, auth_data: data } = parseRecord(typeof message === 'string' ? message : '');
  if (event !== 'auth_user' || typeof data !== 'object' || data === null) return undefined;
  const plain = Object.entries(data).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return Object.fromEntries(plain.map(([name, value]) => [name, String(value)]));
}

interface Props {
  bot: string;
  /** What the user confirmed, signed by the bot's key; the server judges it. */
  onFields(fields: Record<string, string>): void;
}

/**
 * The messenger's login button in its own frame. The usual script that builds this frame is left out: it would run foreign
 * code in our page, and evaluates strings, which the content security policy forbids.
 */
export function TelegramFrame({ bot, onFields }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const report = useRef(onFields);
  report.current = onFields;
  useEffect(() => {
    const listen = (event: MessageEvent<unknown>) => {
      if (event.origin !== origin || event.source !== frame.current?.contentWindow) return;
      const fields = fieldsOf(event.data);
      if (fields) report.current(fields);
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, []);
  return (
    <iframe
      ref={frame}
      src={addressOf(bot)}
      title={door_telegram_frame()}
      width={240}
      height={defaultHeight}
      referrerPolicy="origin"
      className="mx-auto block max-w-full [color-scheme:light]"
    />
  );
}
