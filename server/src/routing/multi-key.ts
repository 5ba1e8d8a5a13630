import type { MultiKeyMode } from './channel-setting.ts';

/** One credential of a channel, as the relay uses it. */
export interface RouteKey {
  /** Names the credential and where it goes: another key or another address has a health of its own. */
  readonly id: string;
  /** Its line in the key field, from 0. */
  readonly index: number;
  readonly secret: string;
  /** Switched off alone, automatically or by hand. */
  readonly disabled: boolean;
}

/** The credentials inside one stored key text, at least one. A JSON credential is one, however many lines it has. */
export function splitKeys(text: string, mode: MultiKeyMode | undefined): string[] {
  if (text.startsWith('{')) return [text];
  const lines = text.split('\n').filter((line) => line !== '');
  const [first = ''] = lines;
  return mode === undefined || lines.length === 0 ? [first] : lines;
}
