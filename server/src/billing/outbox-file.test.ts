import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openOutboxFile } from './outbox-file.ts';

/** What fails now: folders that are opened, or files that are synced. */
const disk = { folders: false, syncs: false };

async function openOn(path: string, flags: string, mode?: number): Promise<FileHandle> {
  if (disk.folders && flags === 'r') throw new Error('EMFILE');
  const handle = await open(path, flags, mode);
  const sync = handle.sync.bind(handle);
  handle.sync = () => (disk.syncs ? Promise.reject(new Error('EIO')) : sync());
  return handle;
}

async function file() {
  const path = join(mkdtempSync(join(tmpdir(), 'tollgate-outbox-file-')), 'outbox');
  const opened = await openOutboxFile(path, 1_000, openOn);
  onTestFinished(async () => {
    Object.assign(disk, { folders: false, syncs: false });
    await opened.close();
    rmSync(dirname(path), { recursive: true });
  });
  return { file: opened, text: () => readFileSync(path, 'utf8') };
}

test('a folder that cannot be synced takes no line: the next one is under the name, and not before the name is durable', async () => {
  const { file: outbox, text } = await file();
  for (const line of ['a', 'b']) await outbox.append(line);
  disk.folders = true;
  await expect(outbox.remove(new Set(['a']))).rejects.toThrow('EMFILE');
  await expect(outbox.append('c')).rejects.toThrow('EMFILE');
  expect([outbox.lines(), text()]).toEqual([['b'], 'b\n']);
  disk.folders = false;
  await outbox.append('d');
  expect([outbox.lines(), text()]).toEqual([['b', 'd'], 'b\nd\n']);
});

test('a file that was emptied and could not be synced is written from its beginning', async () => {
  const { file: outbox, text } = await file();
  await outbox.append('a');
  disk.syncs = true;
  await expect(outbox.remove(new Set(['a']))).rejects.toThrow('EIO');
  disk.syncs = false;
  await outbox.append('b');
  expect([outbox.lines(), text()]).toEqual([['b'], 'b\n']);
});
