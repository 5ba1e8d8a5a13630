import type { ReactNode } from 'react';

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'violet' | 'accent' | 'grey';
const tones: Record<Tone, string> = {
  ok: 'bg-ok-tint text-ok',
  warn: 'bg-warn-tint text-warn',
  bad: 'bg-bad-tint text-bad',
  info: 'bg-info-tint text-info',
  violet: 'bg-violet-tint text-violet',
  accent: 'bg-accent-tint text-accent',
  grey: 'bg-grey-tint text-muted',
};
const dots: Record<Tone, string> = {
  ok: 'bg-ok',
  warn: 'bg-warn',
  bad: 'bg-bad',
  info: 'bg-info',
  violet: 'bg-violet',
  accent: 'bg-accent',
  grey: 'bg-line-strong',
};

/** How a badge looks, for what is a link or a button at the same time. */
export const badgeClass = (tone: Tone = 'grey'): string =>
  `inline-block h-5 min-w-0 max-w-full overflow-clip text-ellipsis whitespace-nowrap rounded-sm px-1.5 text-xs leading-5 ${tones[tone]}`;

/** A short word in colour; the colour never says more than the word. */
export function Badge({ tone = 'grey', tip, children }: { tone?: Tone; tip?: string; children: ReactNode }) {
  return (
    <span data-tip={tip} className={badgeClass(tone)}>
      {children}
    </span>
  );
}

/** State as dot and word. With a tip it can be focused, so that the reason is reachable by keyboard. */
export function StatusDot({ tone, tip, children }: { tone: Tone; tip?: string; children: ReactNode }) {
  const body = (
    <>
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${dots[tone]}`} />
      {children}
    </>
  );
  if (!tip) return <span className="inline-flex items-center gap-1.5 whitespace-nowrap">{body}</span>;
  return (
    <button
      type="button"
      data-tip={tip}
      className="-mx-1 inline-flex h-6 cursor-help items-center gap-1.5 rounded-sm px-1 underline decoration-dotted decoration-line-strong underline-offset-3"
    >
      {body}
    </button>
  );
}
