import { GatewayError } from '../../core/error.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import type { AdminRoute } from './route.ts';

export interface RouteMatch {
  readonly route: AdminRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a path by linear search: the table is small. */
export class RouteTable {
  readonly #rows: readonly { readonly route: AdminRoute; readonly parts: readonly string[] }[];

  constructor(routes: readonly AdminRoute[]) {
    this.#rows = routes.map((route) => ({ route, parts: route.path.split('/') }));
  }

  /** @throws GatewayError `route_not_found`, `method_not_allowed` */
  find(method: string, path: string): RouteMatch {
    const parts = path.split('/');
    const methods: string[] = [];
    for (const row of this.#rows) {
      const params = paramsOf(row.parts, parts);
      if (params === undefined) continue;
      methods.push(...(row.route.method === 'GET' ? ['GET', 'HEAD'] : [row.route.method]));
      if (row.route.method === method || (method === 'HEAD' && row.route.method === 'GET')) return { route: row.route, params };
    }
    if (methods.length > 0)
      throw new GatewayError('method_not_allowed', {
        message: `${path.slice(0, 200)} does not support ${method.slice(0, 20)}.`,
        hint: `It supports ${methods.join(', ')}.`,
        allow: methods,
      });
    throw new GatewayError('route_not_found', {
      message: `The admin API has no route ${path.slice(0, 200)}.`,
      hint:
        didYouMean(
          path.slice(0, 200),
          this.#rows.map(({ route }) => route.path),
        ).trim() || undefined,
    });
  }
}

/** Returns undefined if the path does not match. */
function paramsOf(row: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (row.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, name] of row.entries()) {
    const part = parts[i] ?? '';
    if (!name.startsWith('{')) {
      if (name !== part) return undefined;
      continue;
    }
    const value = decoded(part);
    if (value === undefined || value === '') return undefined;
    params[name.slice(1, -1)] = value;
  }
  return params;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
