/** What the three surfaces of background work offer: drawings (contract 6.15), music (6.16), videos. */
export interface TaskEndpoint {
  readonly kind: 'task';
  readonly surface: 'drawing' | 'music' | 'videos';
  readonly does: 'submit' | 'fetch' | 'list' | 'image-seed' | 'content' | 'remove' | 'notify' | 'image';
  /** Of a submit: what stands behind the surface's root. */
  readonly path: string;
  /** Of a task, or of a picture. */
  readonly id: string;
  /** Drawing: fast, relax, turbo; "" = the path does not say. */
  readonly mode: string;
}

type Found = Pick<TaskEndpoint, 'surface' | 'does'> & Partial<TaskEndpoint>;

export const drawingSubmits = [
  '/submit/imagine',
  '/submit/change',
  '/submit/simple-change',
  '/submit/action',
  '/submit/modal',
  '/submit/shorten',
  '/submit/describe',
  '/submit/blend',
  '/submit/upload-discord-images',
  '/insight-face/swap',
] as const;

const drawing: readonly (readonly [route: RegExp, found: Pick<TaskEndpoint, 'does'>])[] = [
  [/^GET \/task\/([^/]{1,255})\/fetch$/, { does: 'fetch' }],
  [/^GET \/task\/([^/]{1,255})\/image-seed$/, { does: 'image-seed' }],
  [/^POST \/task\/list-by-condition$/, { does: 'list' }],
  [/^POST \/notify$/, { does: 'notify' }],
  [/^GET \/image\/([0-9A-Za-z]{1,64})$/, { does: 'image' }],
];

const others: readonly (readonly [route: RegExp, found: Found])[] = [
  [/^POST \/suno\/submit\/([^/]{1,64})$/, { surface: 'music', does: 'submit' }],
  [/^POST \/suno\/fetch$/, { surface: 'music', does: 'list' }],
  [/^GET \/suno\/fetch\/([^/]{1,255})$/, { surface: 'music', does: 'fetch' }],
  [/^POST \/v1\/videos$/, { surface: 'videos', does: 'submit', path: '/videos' }],
  [/^POST \/v1\/videos\/([^/]{1,255})\/remix$/, { surface: 'videos', does: 'submit', path: '/videos/{id}/remix' }],
  [/^GET \/v1\/videos$/, { surface: 'videos', does: 'list' }],
  [/^GET \/v1\/videos\/([^/]{1,255})$/, { surface: 'videos', does: 'fetch' }],
  // Below /pg for the console's player, who has no key.
  [/^GET \/(?:v1|pg)\/videos\/([^/]{1,255})\/content$/, { surface: 'videos', does: 'content' }],
  [/^DELETE \/v1\/videos\/([^/]{1,255})$/, { surface: 'videos', does: 'remove' }],
];

const drawingRoot = /^\/(?:mj-(fast|relax|turbo)\/)?mj(?=\/)/;

/** Does the path belong to background work? Those below /v1 are known as the relay's anyway. */
export function isTaskPath(path: string): boolean {
  return path.startsWith('/suno/') || drawingRoot.test(path);
}

/** `path` without a slash at its end. */
export function findTaskEndpoint(method: string, path: string): TaskEndpoint | undefined {
  const root = drawingRoot.exec(path);
  if (root !== null) return drawingEndpoint(method, path.slice(root[0].length), root[1] ?? '');
  const route = `${method} ${path}`;
  for (const [shape, found] of others) {
    const match = shape.exec(route);
    if (match !== null) return { kind: 'task', path: '', mode: '', ...found, id: decoded(match[1] ?? '') };
  }
  return undefined;
}

function drawingEndpoint(method: string, path: string, mode: string): TaskEndpoint | undefined {
  const base = { kind: 'task', surface: 'drawing', mode, path, id: '' } as const;
  if (method === 'POST' && drawingSubmits.some((submit) => submit === path)) return { ...base, does: 'submit' };
  for (const [shape, found] of drawing) {
    const match = shape.exec(`${method} ${path}`);
    if (match !== null) return { ...base, ...found, id: decoded(match[1] ?? '') };
  }
  return undefined;
}

/** A piece of a path; as it is where nothing can be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
