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

/** A time as `yyyy-MM-dd HH:mm:ss`, the same in every browser language, with the browser's own picker beside it. */
export function DateTimeInput({ control, value, onChange, onBlur, placeholder = 'yyyy-MM-dd HH:mm:ss' }: Props) {
  const picker = useRef<HTMLInputElement>(null);
  const seconds = parseTime(value);
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
        type="datetime-local"
        step={1}
        tabIndex={-1}
        aria-hidden
        className="pointer-events-none absolute right-2 bottom-0 size-px opacity-0"
        value={seconds === undefined ? '' : formatTime(seconds).replace(' ', 'T')}
        onChange={(event) => {
          const picked = parseTime(event.currentTarget.value);
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
