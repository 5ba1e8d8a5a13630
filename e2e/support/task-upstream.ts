import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '../../server/test/listening.ts';

/** One submit as it arrived. */
export interface SeenSubmit {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  readonly raw: string;
}

/** What the next submit or poll is answered with instead of the usual: a JSON value, raw text, nothing, or a broken connection. */
export interface Play {
  readonly status?: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly silent?: true;
  /** Answers this much later. */
  readonly afterMs?: number;
  readonly cut?: true;
}

/** A real server that speaks the drawing protocol, the music API and /v1/videos, and does what a test tells it. */
export interface TaskUpstream {
  readonly url: string;
  readonly submits: readonly SeenSubmit[];
  /** Names that were asked about, one entry per poll. */
  readonly polls: readonly (readonly string[])[];
  /** When each task was asked about, in milliseconds. */
  readonly pollTimes: ReadonlyMap<string, readonly number[]>;
  /** Sets members of a task; its next poll shows them. */
  set(id: string, fields: Record<string, unknown>): void;
  /** Whatever is not over yet succeeds. */
  finishAll(): void;
  /** Forgets a task. */
  forget(id: string): void;
  /** Answers of the next submits, in order. */
  onSubmit(...plays: Play[]): void;
  /** From now on, until told otherwise. */
  alwaysOnSubmit(play: Play | undefined): void;
  /** Answers of the next polls, in order. */
  onPoll(...plays: Play[]): void;
  /** From now on, until told otherwise. */
  alwaysOnPoll(play: Play | undefined): void;
  /** Resolves with the nth submit, counted from 1. */
  submitted(count: number): Promise<SeenSubmit>;
  /** Calls a gateway as midjourney-proxy calls its notifyHook. */
  notify(hook: string, id: string): Promise<Response>;
  close(): Promise<void>;
}

/** The smallest picture there is. */
export const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const movie = Buffer.alloc(300_000, 'movie ');

interface State {
  readonly tasks: Map<string, Record<string, unknown>>;
  readonly submits: SeenSubmit[];
  readonly polls: string[][];
  readonly pollTimes: Map<string, number[]>;
  readonly submitPlays: Play[];
  readonly pollPlays: Play[];
  always: Play | undefined;
  alwaysSubmit: Play | undefined;
  count: number;
  readonly waiting: Set<() => void>;
}

export async function startTaskUpstream(prefix = 't'): Promise<TaskUpstream> {
  const state: State = {
    ...{ tasks: new Map(), submits: [], polls: [], pollTimes: new Map(), submitPlays: [], pollPlays: [] },
    ...{ always: undefined, alwaysSubmit: undefined, count: 0, waiting: new Set<() => void>() },
  };
  const server = createServer((request, response) => void serve(state, prefix, request, response));
  const url = `http://127.0.0.1:${await listening(server)}`;
  return {
    url,
    submits: state.submits,
    polls: state.polls,
    pollTimes: state.pollTimes,
    set: (id, fields) => void state.tasks.set(id, { ...state.tasks.get(id), ...fields }),
    finishAll() {
      for (const task of state.tasks.values()) if (task.status === 'SUBMITTED') task.status = 'SUCCESS';
    },
    forget: (id) => void state.tasks.delete(id),
    onSubmit: (...plays) => void state.submitPlays.push(...plays),
    alwaysOnSubmit: (play) => {
      state.alwaysSubmit = play;
    },
    onPoll: (...plays) => void state.pollPlays.push(...plays),
    alwaysOnPoll: (play) => {
      state.always = play;
    },
    async submitted(count) {
      while (state.submits.length < count) await new Promise<void>((resolve) => state.waiting.add(resolve));
      const submit = state.submits[count - 1];
      if (submit === undefined) throw new Error('no such submit');
      return submit;
    },
    notify: (hook, id) =>
      fetch(hook, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...state.tasks.get(id), id }),
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(state: State, prefix: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks).toString();
  const path = request.url ?? '/';
  const route = `${request.method} ${path}`;
  const video = /^(GET|DELETE) .*\/videos\/([^/?]+)(\/content)?/.exec(route);
  if (submitRoute.test(route)) submit(state, prefix, { request, response, raw });
  else if (/^POST .*\/mj\/task\/list-by-condition$/.test(route)) {
    const ids = idsIn(raw);
    poll(state, response, ids, () => ids.flatMap((id) => state.tasks.get(id) ?? []));
  } else if (/^POST .*\/suno\/fetch$/.test(route)) {
    const ids = idsIn(raw);
    const data = () => ids.flatMap((id) => state.tasks.get(id) ?? []);
    poll(state, response, ids, () => ({ code: 'success', message: '', data: data() }));
  } else if (video !== null) serveVideo(state, response, video);
  else serveFile(path, route, response);
}

const submitRoute = /^POST .*\/(submit\/[\w-]+|insight-face\/swap|videos(\/[^/]+\/remix)?)$/;

function serveFile(path: string, route: string, response: ServerResponse): void {
  if (/^GET .*\/image-seed$/.test(route)) json(response, 200, { code: 1, description: 'ok', result: '1234567890' });
  else if (path.startsWith('/pic')) send(response, 'image/png', picture);
  else if (path.startsWith('/page')) send(response, 'text/html', '<script>1</script>');
  else if (path.startsWith('/drawn.svg')) send(response, 'image/svg+xml', '<svg/>');
  else json(response, 404, { error: { message: 'nothing here' } });
}

function serveVideo(state: State, response: ServerResponse, [, method, id = '', content]: RegExpExecArray): void {
  const task = state.tasks.get(id);
  if (content !== undefined) send(response, 'video/mp4', movie);
  else if (method !== 'DELETE') poll(state, response, [id], () => task, task === undefined ? 404 : 200);
  else {
    state.tasks.delete(id);
    json(response, 200, { id, object: 'video.deleted', deleted: true });
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly raw: string;
}

function submit(state: State, prefix: string, { request, response, raw }: Exchange): void {
  state.count += 1;
  const id = `${prefix}${state.count}`;
  const path = request.url ?? '';
  const body = bodyIn(raw);
  state.submits.push({ path, headers: request.headers, body, raw });
  for (const tell of state.waiting) tell();
  state.waiting.clear();
  const play = state.submitPlays.shift() ?? state.alwaysSubmit;
  if (play === undefined) accept(state, response, path, id, body);
  else perform(response, play);
}

function accept(state: State, response: ServerResponse, path: string, id: string, body: Record<string, unknown>): void {
  if (path.includes('/suno/')) {
    state.tasks.set(id, { task_id: id, status: 'SUBMITTED', progress: '0%', fail_reason: '', data: null });
    json(response, 200, { code: 'success', message: '', data: id });
  } else if (path.includes('/videos')) {
    const { model, seconds = '4' } = body;
    const task = { id, object: 'video', status: 'queued', progress: 0, created_at: 1, model, seconds };
    state.tasks.set(id, task);
    json(response, 200, task);
  } else {
    state.tasks.set(id, { id, status: 'SUBMITTED', progress: '0%' });
    json(response, 200, { code: 1, description: '提交成功', result: id, properties: {} });
  }
}

function poll(state: State, response: ServerResponse, ids: string[], answer: () => unknown, status = 200): void {
  state.polls.push(ids);
  for (const id of ids) state.pollTimes.set(id, [...(state.pollTimes.get(id) ?? []), performance.now()]);
  const play = state.pollPlays.shift() ?? state.always;
  if (play === undefined) json(response, status, answer() ?? { error: { message: 'not found' } });
  else perform(response, play);
}

function perform(response: ServerResponse, { afterMs, ...play }: Play): void {
  if (afterMs === undefined) answer(response, play);
  else setTimeout(() => answer(response, play), afterMs);
}

function answer(response: ServerResponse, { status = 200, body, text, silent, cut }: Play): void {
  if (silent === true) return;
  if (cut === true) response.destroy();
  else if (text !== undefined) response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  else json(response, status, body);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function send(response: ServerResponse, mediaType: string, body: Buffer | string): void {
  response.writeHead(200, { 'content-type': mediaType }).end(body);
}

function idsIn(raw: string): string[] {
  const { ids } = bodyIn(raw);
  return Array.isArray(ids) ? ids.map(String) : [];
}

function bodyIn(raw: string): Record<string, unknown> {
  try {
    return JSON.parse(raw) as Record<string, unknown>;
  } catch {
    return {};
  }
}
