import { expect, it } from 'vitest';
import { readUserAgent } from './user-agent.ts';

it('names browser and system of the usual User-Agents, and nothing of foreign ones', () => {
  const safari = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  const known = [
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${safari} Chrome/140.0.0.0 Safari/537.36`, 'Chrome', 'Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${safari} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`, 'Edge', 'Windows'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 15_1) ${safari} Version/18.1 Safari/605.1`, 'Safari', 'macOS'],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${safari} CriOS/140 Mobile Safari/604`, 'Chrome', 'iOS'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', 'Linux'],
    [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${safari} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome', 'Android'],
    ['curl/8.9.1', 'curl', ''],
    ['', '', ''],
  ] as const;
  for (const [text, browser, system] of known) expect(readUserAgent(text)).toEqual({ browser, system });
});
