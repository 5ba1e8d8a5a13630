import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';

type Tone = 'default' | 'primary' | 'bad' | 'quiet';
const base =
  'inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors duration-100 select-none disabled:opacity-55 aria-disabled:opacity-55';
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
  /** Shows that its action is under way and refuses a second press. */
  pending?: boolean;
}

export function Button({
  tone = 'default',
  size = 'md',
  icon: Icon,
  pending,
  className,
  children,
  onClick,
  type,
  ...rest
}: ButtonProps) {
  const Shown = pending ? LoaderCircle : Icon;
  return (
    <button
      type={type ?? 'button'}
      className={`${base} ${tones[tone]} ${sizes[size]} ${className ?? ''}`}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      onClick={pending ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {Shown && <Shown size={15} aria-hidden className={pending ? 'animate-spin' : 'opacity-85'} />}
      {children}
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
      className={`grid shrink-0 place-items-center rounded-md text-muted transition-colors duration-100 hover:bg-grey-tint disabled:opacity-45 ${box} ${colour} ${className ?? ''}`}
      {...rest}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}

/** How a link looks like a button. */
export const buttonClass = (tone: Tone = 'default', size: keyof typeof sizes = 'md'): string =>
  `${base} ${tones[tone]} ${sizes[size]}`;
