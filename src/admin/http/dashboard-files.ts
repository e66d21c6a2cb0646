import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from './accepts-gzip.ts';
import { contentSecurityPolicy, send } from './reply.ts';

/** Build output of the dashboard, relative to the sources and to the compiled package. */
const folders = ['../../../dist/dashboard/', './dashboard/'] as const;
const maxFiles = 32;
/** Maximum size of one file, in bytes. */
const maxFileBytes = 4 * 1024 * 1024;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.map': 'application/json',
};

interface DashboardFile {
  readonly bytes: Buffer;
  readonly packed: Buffer | undefined;
  readonly type: string;
  readonly etag: string;
  readonly policy: string;
}

type FilesByPath = ReadonlyMap<string, DashboardFile>;

/** The dashboard's files, read on the first request and cached in memory. */
export class DashboardFiles {
  readonly #folders: readonly string[];
  #files: Promise<FilesByPath> | undefined;

  constructor(directories: readonly string[] = folders.map((one) => fileURLToPath(new URL(one, import.meta.url)))) {
    this.#folders = directories;
  }

  /**
   * Serves a file. A path without a file is a page of the dashboard, which does its own routing. Below the top level, a
   * known extension does not make it a file, because a config or a trace ID may be called `a.json`.
   */
  async serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pages = await this.#read();
    const isPage = path.lastIndexOf('/') > 0 || types[extname(path)] === undefined;
    const page = pages.get(path === '/' ? '/index.html' : path) ?? (isPage ? pages.get('/index.html') : undefined);
    if (page === undefined && pages.size === 0) return send(response, 503, notBuilt, { 'content-type': 'text/html; charset=utf-8' });
    if (page === undefined) return send(response, 404, 'not found\n', { 'content-type': 'text/plain' });
    const { bytes, packed, type, etag, policy: rule } = page;
    const headers = { etag, 'cache-control': 'no-cache', vary: 'accept-encoding', 'content-security-policy': rule };
    if (request.headers['if-none-match'] === etag) return send(response, 304, '', headers);
    const isPacked = packed !== undefined && acceptsGzip(request);
    return send(response, 200, isPacked ? packed : bytes, {
      ...headers,
      'content-type': type,
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    });
  }

  /** Reads the files once. Retried if there were none, or if a build replaced them meanwhile. */
  async #read(): Promise<FilesByPath> {
    const reading = (this.#files ??= this.#find());
    const forget = (): void => {
      if (this.#files === reading) this.#files = undefined;
    };
    try {
      const pages = await reading;
      if (pages.size === 0) forget();
      return pages;
    } catch (error) {
      forget();
      throw error;
    }
  }

  async #find(): Promise<FilesByPath> {
    for (const folder of this.#folders) {
      const pages = await filesIn(folder);
      if (pages.has('/index.html')) return pages;
    }
    return new Map();
  }
}

async function filesIn(folder: string): Promise<FilesByPath> {
  const names = await readdir(folder).catch((): string[] => []);
  const pages = new Map<string, DashboardFile>();
  for (const name of names.slice(0, maxFiles)) {
    const type = types[extname(name)];
    const path = join(folder, name);
    if (type === undefined || (await stat(path)).size > maxFileBytes) continue;
    pages.set(`/${name}`, await fileOf(await readFile(path), type));
  }
  return pages;
}

async function fileOf(bytes: Buffer, type: string): Promise<DashboardFile> {
  const packed = type.startsWith('image/png') ? undefined : await promisify(gzip)(bytes, { level: 9 });
  const isPage = type.startsWith('text/html');
  return {
    bytes,
    packed,
    type,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    policy: isPage
      ? contentSecurityPolicy({ scripts: hashesOf(bytes, 'script'), styles: hashesOf(bytes, 'style') })
      : contentSecurityPolicy(),
  };
}

/** CSP hashes of the inline scripts and styles of the page. All other inline code is blocked. */
function hashesOf(page: Buffer, tag: 'script' | 'style'): string[] {
  const inline = page.toString('utf8').matchAll(new RegExp(`<${tag}(?:\\s[^>]*)?>([^]*?)</${tag}>`, 'gi'));
  return [...inline]
    .filter(([, text = '']) => text !== '')
    .map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
}

const notBuilt = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>gateway: the dashboard is not built</title>
<h1>The dashboard is not built</h1>
<p>Run <code>npm run build:dashboard</code> in the folder of the gateway, then load this page again.</p>
<p>The admin API is served: <a href="/api/status">/api/status</a>, and <code>gateway status</code> shows it in a terminal.</p>
</html>
`;
