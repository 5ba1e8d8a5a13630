import type { ComponentProps } from 'react';

const base =
  'h-1.5 w-full appearance-none overflow-hidden rounded-sm bg-grey-tint [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:transition-[width] [&::-webkit-progress-value]:duration-500 [&:indeterminate]:animate-pulse';
const tones = {
  accent: '[&::-moz-progress-bar]:bg-accent [&::-webkit-progress-value]:bg-accent',
  ok: '[&::-moz-progress-bar]:bg-ok [&::-webkit-progress-value]:bg-ok',
  bad: '[&::-moz-progress-bar]:bg-bad [&::-webkit-progress-value]:bg-bad',
};

interface Props extends Omit<ComponentProps<'progress'>, 'className'> {
  'aria-label': string;
  tone?: keyof typeof tones;
}

/** How far something is; without a value it only says that something is under way. */
export function ProgressBar({ tone = 'accent', ...rest }: Props) {
  return <progress className={`${base} ${tones[tone]}`} {...rest} />;
}
