import { useEffect, useState } from 'react';
import { readText, writeText } from '../../lib/storage.ts';

const tickMs = 250;

function secondsLeft(key: string): number {
  const left = Number(readText(key)) - Date.now();
  return Number.isFinite(left) && left > 0 ? Math.ceil(left / 1000) : 0;
}

/** Seconds until something may be done again. The end is remembered, so that neither a reload nor another page shortens it. */
export function useCountdown(name: string): { left: number; start(seconds: number): void } {
  const key = `countdown:${name}`;
  const [left, setLeft] = useState(() => secondsLeft(key));
  const running = left > 0;
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setLeft(secondsLeft(key)), tickMs);
    return () => clearInterval(timer);
  }, [running, key]);
  return {
    left,
    start(seconds) {
      writeText(key, String(Date.now() + seconds * 1000));
      setLeft(seconds);
    },
  };
}
