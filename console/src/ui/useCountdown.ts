import { useEffect, useState } from 'react';
import { readText, writeText } from '../lib/storage.ts';

const tickMs = 250;

/** 0 also where what was stored is no time. */
const secondsUntil = (end: number): number => Math.max(0, Math.ceil((end - Date.now()) / 1000)) || 0;

/** Seconds until something may be done again. With a name the end is remembered, so that neither a reload nor another page shortens it. */
export function useCountdown(name = ''): { left: number; start(seconds: number): void } {
  const key = `countdown:${name}`;
  const [end, setEnd] = useState(() => (name ? Number(readText(key)) : 0));
  const [left, setLeft] = useState(() => secondsUntil(end));
  const running = left > 0;
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setLeft(secondsUntil(end)), tickMs);
    return () => clearInterval(timer);
  }, [running, end]);
  return {
    left,
    start(seconds) {
      const next = Date.now() + seconds * 1000;
      if (name) writeText(key, String(next));
      setEnd(next);
      setLeft(seconds);
    },
  };
}
