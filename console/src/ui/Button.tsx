import { LoaderCircle, type LucideIcon } from 'lucide-react';
import { type ComponentProps, useEffect, useRef } from 'react';
import { ApiError, tooOften } from '../api/errors.ts';
import { wait_again } from '../i18n/generated/messages.ts';
import { languageTag } from '../i18n/language.ts';
import { formatWait } from '../lib/wait.ts';
import { useCountdown } from './useCountdown.ts';

type Tone = 'default' | 'primary' | 'bad' | 'quiet';
const base =
  'inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors duration-100 select-none disabled:opacity-55 aria-disabled:opacity-55 print:hidden';
const tones: Record<Tone, string> = {
  default: 'border-line-strong bg-surface text-fg hover:bg-grey-tint',
  primary: 'border-transparent bg-accent text-on-accent hover:brightness-110',
  bad: 'border-transparent bg-bad text-surface hover:brightness-110',
  quiet: 'border-transparent text-fg hover:bg-grey-tint',
};
const sizes = { md: 'h-8 px-3 text-sm max-sm:h-10', sm: 'h-7 px-2.5 text-xs max-sm:h-9', lg: 'h-9 px-4 text-base max-sm:h-11' };

interface ButtonProps extends ComponentProps<'button'> {
  tone?: Tone;
  size?: keyof typeof sizes;
  icon?: LucideIcon;
  /** Shows that its action is under way and refuses a second press; afterwards until a refusal for coming too often has passed. */
  pending?: boolean;
  /** What was refused before it is pressed again. */
  after?: unknown;
}

/** How long pressing it again would be refused for: what came too often while its action was under way, or before. */
function useRest(pending: boolean | undefined, after: unknown): number {
  const { left, start } = useCountdown();
  const begin = useRef(start);
  begin.current = start;
  useEffect(() => (pending ? tooOften.subscribe(() => begin.current(tooOften.get())) : undefined), [pending]);
  useEffect(() => {
    if (after instanceof ApiError && after.status === 429) begin.current(after.retryAfterSeconds);
  }, [after]);
  return left;
}

export function Button({
  tone = 'default',
  size = 'md',
  icon: Icon,
  pending,
  after,
  className,
  children,
  onClick,
  type,
  ...rest
}: ButtonProps) {
  const left = useRest(pending, after);
  const idle = pending || left > 0;
  const Shown = pending ? LoaderCircle : Icon;
  return (
    <button
      type={type ?? 'button'}
      className={`${base} ${tones[tone]} ${sizes[size]} ${className ?? ''}`}
      aria-disabled={idle || undefined}
      aria-busy={pending || undefined}
      onClick={idle ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {Shown && <Shown size={15} aria-hidden className={pending ? 'animate-spin' : 'opacity-85'} />}
      {left > 0 && !pending ? wait_again({ wait: formatWait(left, languageTag()) }) : children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  icon: LucideIcon;
  /** Its name, also shown as its tooltip. */
  label: string;
  size?: 'sm' | 'md';
  tone?: 'bad';
}

/** A button that is only an icon: 28 px in rows, 32 px elsewhere, larger on phones. */
export function IconButton({ icon: Icon, label, size = 'md', tone, className, ...rest }: IconButtonProps) {
  const box = size === 'sm' ? 'size-7 max-sm:size-9' : 'size-8 max-sm:size-10';
  const colour = tone === 'bad' ? 'hover:text-bad' : 'hover:text-fg';
  return (
    <button
      type="button"
      aria-label={label}
      data-tip={label}
      className={`grid shrink-0 place-items-center rounded-md text-muted transition-colors duration-100 hover:bg-grey-tint disabled:opacity-45 print:hidden ${box} ${colour} ${className ?? ''}`}
      {...rest}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}

/** A button in the manner of a link, beside a field or under a list. */
export function TextButton({ className = '', ...rest }: ComponentProps<'button'>) {
  return <button type="button" className={`min-h-6 text-accent text-xs hover:underline ${className}`} {...rest} />;
}

/** A link or menu button that looks like the other buttons of a row. */
export const rowLinkClass = 'grid size-7 place-items-center rounded-md text-muted hover:bg-grey-tint hover:text-fg max-sm:size-9';

/** How a link looks like a button. */
export const buttonClass = (tone: Tone = 'default', size: keyof typeof sizes = 'md'): string =>
  `${base} ${tones[tone]} ${sizes[size]}`;
