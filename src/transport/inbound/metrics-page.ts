import type { IncomingMessage, ServerResponse } from 'node:http';

/** The metrics as a page of a listener that only operators reach. */
export interface MetricsPage {
  /** Undefined: there is none. */
  path(): string | undefined;
  render(): Promise<{ readonly type: string; readonly text: string }>;
}

/** False for every other path, which is left unanswered. */
export function answerMetrics(page: MetricsPage, path: string, { method }: IncomingMessage, response: ServerResponse): boolean {
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
