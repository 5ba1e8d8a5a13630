import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type Protocol, protocols } from '../src/index.ts';

export interface Fixture {
  readonly protocol: Protocol;
  readonly name: string;
  /** A recorded stream. */
  readonly stream: Buffer;
  /** The same call without streaming, where the fixture has it. */
  readonly answer: Buffer | undefined;
}

const root = new URL('../fixtures/', import.meta.url);

/** Every stream in fixtures/<protocol>/, with the answer of the same name. */
export function fixtures(): Fixture[] {
  return protocols.flatMap((protocol) => {
    const folder = new URL(`${protocol.name}/`, root);
    const streams = readdirSync(folder).filter((file) => file.endsWith('.sse'));
    return streams.map((file) => {
      const answer = new URL(file.replace(/\.sse$/, '.json'), folder);
      return {
        protocol,
        name: `${protocol.name}/${file.replace(/\.sse$/, '')}`,
        stream: readFileSync(new URL(file, folder)),
        answer: existsSync(answer) ? readFileSync(answer) : undefined,
      };
    });
  });
}

/** Folders of fixtures, to prove that none is left out. */
export function fixtureFolders(): string[] {
  return readdirSync(root).sort();
}
