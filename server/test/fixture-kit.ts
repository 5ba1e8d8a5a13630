import { readFileSync } from 'node:fs';
import { decodeFrames } from '@tollgate/wire';
import type { Framing } from '../src/providers/index.ts';
import { binaryMessage } from './event-stream-kit.ts';

/** Where the recorded requests, answers, streams and errors of every dialect are. */
export const fixtureRoot = new URL('../../wire/fixtures/', import.meta.url);

/** One recorded file, such as `text.json` or `text.sse`. */
export const fixture = (dialect: string, file: string): Buffer => readFileSync(new URL(`${dialect}/${file}`, fixtureRoot));

/** The recorded stream as the upstream of a record would frame it. */
export function framedFixture(framing: Framing, dialect: string, name: string): Buffer {
  const stream = fixture(dialect, `${name}.sse`);
  if (framing === 'sse') return stream;
  if (framing === 'json') return fixture(dialect, `${name}.json`);
  const frames = decodeFrames(stream).filter(({ data }) => data !== '[DONE]');
  if (framing === 'json-lines') return Buffer.from(frames.map(({ data }) => `${data}\n`).join(''));
  const binary = ({ event, data = '' }: { event: string; data: string | undefined }) =>
    dialect === 'bedrock-converse'
      ? binaryMessage({ ':message-type': 'event', ':event-type': event }, data)
      : binaryMessage(
          { ':message-type': 'event', ':event-type': 'chunk' },
          JSON.stringify({ bytes: Buffer.from(data).toString('base64') }),
        );
  return Buffer.concat(frames.map(binary));
}
