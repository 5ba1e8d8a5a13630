import { type FileHandle, mkdir, open as openOnDisk, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolderAside } from '../platform/durable.ts';

/** Lines on disk. What `append` and `remove` changed survives a power loss once they resolve. */
export interface OutboxFile {
  lines(): readonly string[];
  /** Throws when the file is full or cannot be written; then the line is not in it. */
  append(line: string): Promise<void>;
  remove(done: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  line: string;
  resolve(): void;
  reject(error: unknown): void;
}

const newline = 0x0a;

/** How files are opened: tests have disks that fail. */
type Open = (path: string, flags: string, mode?: number) => Promise<FileHandle>;

/** Opens or creates the file (0600). A last line without its end was torn by a crash: nobody was told that it is kept. */
export async function openOutboxFile(path: string, maxBytes: number, open: Open = openOnDisk): Promise<OutboxFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let handle = await openFile(open, path);
  const content = await handle.readFile();
  let length = content.lastIndexOf(newline) + 1;
  if (length < content.length) await handle.truncate(length);
  await handle.sync();
  await syncFolderAside(dirname(path), open);
  let lines = content.toString('utf8', 0, length).split('\n').slice(0, -1);
  let waiting: Waiting[] = [];
  /** After a power loss the path leads to this file, not to the one before. */
  let isNamed = true;
  let queue: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };

  const syncName = async (): Promise<void> => {
    if (!isNamed) await syncFolderAside(dirname(path), open);
    isNamed = true;
  };

  /** Everybody who waits shares one fsync. */
  const writeWaiting = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    const fitting = batch.filter(takeFitting(maxBytes - length));
    try {
      await syncName();
      if (fitting.length > 0) length = await writeAt(handle, length, fitting);
      lines.push(...fitting.map(({ line }) => line));
      for (const each of fitting) each.resolve();
    } catch (error) {
      for (const each of fitting) each.reject(error);
    }
    for (const each of batch) each.reject(new Error('The outbox is full'));
  };

  return {
    lines: () => lines,
    append: (line) =>
      new Promise((resolve, reject) => {
        waiting.push({ line, resolve, reject });
        if (waiting.length === 1) void inTurn(writeWaiting);
      }),
    remove: (done) =>
      inTurn(async () => {
        const left = lines.filter((line) => !done.has(line));
        if (left.length === lines.length) return;
        const old = handle;
        if (left.length === 0) await handle.truncate(0);
        else handle = await replaced(open, path, left);
        // So it stands from here on, whatever fails: lines that a power loss brings back were booked before.
        lines = left;
        length = textOf(left).length;
        if (handle === old) return handle.sync();
        isNamed = false;
        await old.close();
        await syncName();
      }),
    close: () => inTurn(() => handle.close()),
  };
}

/** Reads and writes; creates the file, never empties it. */
function openFile(open: Open, path: string): Promise<FileHandle> {
  return open(path, 'a+', 0o600).then(async (created) => {
    await created.close();
    return open(path, 'r+');
  });
}

function takeFitting(space: number): (waiting: Waiting) => boolean {
  let left = space;
  return ({ line }) => {
    const size = Buffer.byteLength(line) + 1;
    if (size > left) return false;
    left -= size;
    return true;
  };
}

function textOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

/** Returns the new length. What a failed write left behind the old length is cut off, now or by the next write. */
async function writeAt(handle: FileHandle, length: number, added: readonly Waiting[]): Promise<number> {
  const bytes = textOf(added.map(({ line }) => line));
  try {
    await handle.truncate(length);
    for (let written = 0; written < bytes.length; ) {
      written += (await handle.write(bytes, written, bytes.length - written, length + written)).bytesWritten;
    }
    await handle.sync();
    return length + bytes.length;
  } catch (error) {
    await handle.truncate(length).catch(() => undefined);
    throw error;
  }
}

/** By a second file and a rename, so that a crash leaves either all lines or those that are left. The name is not durable yet. */
async function replaced(open: Open, path: string, lines: readonly string[]): Promise<FileHandle> {
  const temporary = `${path}.new`;
  const fresh = await open(temporary, 'w+', 0o600);
  try {
    await fresh.writeFile(textOf(lines));
    await fresh.sync();
    await rename(temporary, path);
  } catch (error) {
    await fresh.close();
    throw error;
  }
  return fresh;
}
