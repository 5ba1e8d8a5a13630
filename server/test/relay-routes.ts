import { exact, findEndpoint, named } from '../src/relay/endpoints.ts';
import { drawingSubmits } from '../src/relay/tasks/routes.ts';

interface WorkingRoute {
  readonly path: string;
  readonly protocol: string;
  /** It says how long a prompt is: that costs nothing. */
  readonly counts?: boolean;
}

/** A path for every endpoint that does work for its caller, with a model where one belongs: what limits must hold for. */
export function workingRoutes(model: string): WorkingRoute[] {
  const all = [...Object.keys(exact), ...Object.keys(named).map((route) => route.replace('{}', model))].map((route) => {
    const [method = '', path = ''] = route.split(' ');
    return { method, path };
  });
  const direct = all.flatMap(({ method, path }) => {
    const endpoint = findEndpoint(method, path);
    if (endpoint?.kind !== 'relay' && endpoint?.kind !== 'count-tokens') return [];
    return [{ path, protocol: endpoint.protocol, counts: endpoint.kind === 'count-tokens' }];
  });
  return [...direct, ...submitRoutes()];
}

/** What goes on from another drawing. */
const followUps: ReadonlySet<string> = new Set(['/submit/change', '/submit/simple-change', '/submit/action', '/submit/modal']);

function submitRoutes(): WorkingRoute[] {
  const drawings = drawingSubmits.flatMap((path) => {
    const protocol = followUps.has(path) ? 'drawing-follow-up' : 'drawing';
    return [`/mj${path}`, `/mj-fast/mj${path}`].map((full) => [full, protocol] as const);
  });
  const rest = [
    ['/suno/submit/music', 'music'],
    ['/suno/submit/lyrics', 'music'],
    ['/v1/videos', 'videos'],
  ] as const;
  return [...drawings, ...rest].map(([path, protocol]) => ({ path, protocol }));
}
