import { CalendarClock } from 'lucide-react';
import { useRef } from 'react';
import { date_pick } from '../../i18n/generated/messages.ts';
import { formatTime, parseTime } from '../../lib/time.ts';
import { IconButton } from '../Button.tsx';
import type { ControlProps } from '../Field.tsx';

interface Props {
  control: Partial<ControlProps> & { 'aria-label'?: string };
  value: string;
  onChange(value: string): void;
  onBlur?(): void;
  placeholder?: string;
}

/** Firefox's picker of date and time shows days alone, and tells nothing of a day until a time is typed beside it. */
const picksDays = (): boolean => navigator.userAgent.includes('Firefox/');

/** A time as `yyyy-MM-dd HH:mm:ss`, the same in every browser language, with the browser's own picker beside it. */
export function DateTimeInput({ control, value, onChange, onBlur, placeholder = 'yyyy-MM-dd HH:mm:ss' }: Props) {
  const picker = useRef<HTMLInputElement>(null);
  const seconds = parseTime(value);
  const shown = seconds === undefined ? '' : formatTime(seconds);
  const days = picksDays();
  return (
    <div className="relative">
      <input
        {...control}
        className="control pr-9 tabular-nums"
        autoComplete="off"
        maxLength={19}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={onBlur}
      />
      <input
        ref={picker}
        type={days ? 'date' : 'datetime-local'}
        step={1}
        tabIndex={-1}
        aria-hidden
        className="pointer-events-none absolute right-2 bottom-0 size-px opacity-0"
        value={days ? shown.slice(0, 10) : shown.replace(' ', 'T')}
        onChange={(event) => {
          const time = days ? (shown || formatTime(Date.now() / 1000)).slice(10) : '';
          const picked = parseTime(event.currentTarget.value + time);
          if (picked !== undefined) onChange(formatTime(picked));
        }}
      />
      <IconButton
        icon={CalendarClock}
        label={date_pick()}
        size="sm"
        className="absolute top-1/2 right-0.5 -translate-y-1/2"
        onClick={() => picker.current?.showPicker()}
      />
    </div>
  );
}
