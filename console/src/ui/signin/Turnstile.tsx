import type { turnstileAction } from '@tollgate/contract';
import { useEffect, useRef, useState } from 'react';
import { bot_check_down, bot_check_passed, bot_check_running } from '../../i18n/generated/messages.ts';
import { languageTag } from '../../i18n/language.ts';

const scriptUrl = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';
/** The contract's value, without its module: that would bring every schema along. */
const action: typeof turnstileAction = 'tollgate';

interface WidgetOptions {
  sitekey: string;
  action: string;
  theme: 'light' | 'dark';
  size: 'flexible';
  language: string;
  callback(token: string): void;
  'expired-callback'(): void;
  'error-callback'(): boolean;
}
interface TurnstileApi {
  render(element: HTMLElement, options: WidgetOptions): string;
  reset(id: string): void;
  remove(id: string): void;
}
declare global {
  interface Window {
    turnstile?: TurnstileApi;
  }
}

let loading: Promise<TurnstileApi> | undefined;

/** Loads the service's script once; a failed load is tried again by the next form. */
function load(): Promise<TurnstileApi> {
  loading ??= new Promise<TurnstileApi>((resolve, reject) => {
    const script = document.createElement('script');
    const fail = () => {
      loading = undefined;
      script.remove();
      reject(new Error('the bot check did not load'));
    };
    script.src = scriptUrl;
    script.async = true;
    script.onload = () => (window.turnstile ? resolve(window.turnstile) : fail());
    script.onerror = fail;
    document.head.append(script);
  });
  return loading;
}

type State = 'running' | 'passed' | 'down';

interface Props {
  siteKey: string;
  /** A higher number asks for a new token: each is good once. */
  round: number;
  onToken(token: string): void;
}

/** The bot check's widget, with its state in words. */
export function Turnstile({ siteKey, round, onToken }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const widget = useRef<string>(undefined);
  const report = useRef(onToken);
  report.current = onToken;
  const [state, setState] = useState<State>('running');
  useEffect(() => {
    let live = true;
    const pass = (token: string) => {
      report.current(token);
      setState(token === '' ? 'running' : 'passed');
    };
    const options: WidgetOptions = {
      sitekey: siteKey,
      action,
      theme: document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light',
      size: 'flexible',
      language: languageTag().toLowerCase(),
      callback: pass,
      'expired-callback': () => pass(''),
      'error-callback': () => {
        setState('down');
        return true;
      },
    };
    load().then(
      (api) => {
        if (live && box.current) widget.current = api.render(box.current, options);
      },
      () => live && setState('down'),
    );
    return () => {
      live = false;
      if (widget.current !== undefined) window.turnstile?.remove(widget.current);
      widget.current = undefined;
    };
  }, [siteKey]);
  useEffect(() => {
    if (round === 0 || widget.current === undefined) return;
    setState('running');
    window.turnstile?.reset(widget.current);
  }, [round]);
  const texts = { running: bot_check_running, passed: bot_check_passed, down: bot_check_down };
  return (
    <div>
      <div ref={box} className="min-h-[65px]" />
      <p role="status" className={`mt-1 text-xs ${state === 'down' ? 'text-bad' : 'text-muted'}`}>
        {texts[state]()}
      </p>
    </div>
  );
}
