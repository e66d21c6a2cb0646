import type { IncomingMessage, ServerResponse } from 'node:http';

/** The metrics page of a listener that only operators reach. */
export interface MetricsPage {
  /** Undefined if metrics are off. */
  path(): string | undefined;
  render(): Promise<{ readonly type: string; readonly text: string }>;
}

/** Serves the metrics page. Returns false for any other path, without sending a response. */
export function serveMetrics(page: MetricsPage, path: string, { method }: IncomingMessage, response: ServerResponse): boolean {
  if (path !== page.path()) return false;
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return true;
  }
  page.render().then(
    ({ type, text }) =>
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(method === 'HEAD' ? undefined : text),
    () => response.writeHead(500).end(),
  );
  return true;
}
