import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './Button.tsx';
import { copyText } from './copy.ts';

const confirmedMs = 1500;

/** Copies a text and shows a check mark for a moment. */
export function CopyButton({ text, label, size = 'sm' }: { text: string; label: string; size?: 'sm' | 'md' }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), confirmedMs);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton icon={copied ? Check : Copy} label={label} size={size} onClick={async () => setCopied(await copyText(text))} />
  );
}
