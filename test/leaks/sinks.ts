import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';

/** A response as received, all its parts in one text. */
export interface ReceivedResponse {
  readonly status: number;
  readonly id: string | undefined;
  /** Status line, headers, body and trailers. */
  readonly text: string;
  readonly body: string;
  /** It was complete by its framing. */
  readonly isWhole: boolean;
}

export interface RequestSpec {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends one request on its own connection. Never rejects: an interrupted response is returned, too. */
export function sendRequest(base: string, { method, path, headers = {}, body }: RequestSpec): Promise<ReceivedResponse> {
  const bytes = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const json = bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) };
  return new Promise((resolve) => {
    const out = httpRequest(base + path, {
      method: method ?? (bytes === undefined ? 'GET' : 'POST'),
      headers: { ...json, ...headers },
      agent: false,
    });
    const failed = { status: 0, id: undefined, text: '', body: '', isWhole: false };
    out.on('error', () => resolve(failed));
    out.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (chunk: Buffer) => pieces.push(chunk));
      response.on('error', () => undefined);
      response.on('close', () => {
        const received = Buffer.concat(pieces).toString('latin1');
        const head = [response.statusMessage, ...response.rawHeaders].join('\n');
        const id = response.headers['x-request-id'];
        const text = `${head}\n${received}\n${response.rawTrailers.join('\n')}`;
        resolve({
          status: response.statusCode ?? 0,
          id: id === undefined ? undefined : String(id),
          text,
          body: received,
          isWhole: response.complete,
        });
      });
    });
    out.end(bytes);
  });
}

/** Every file below a folder by path, as text with one character per byte. */
export function filesBelow(dir: string): Map<string, string> {
  const entries = readdirSync(dir, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, readFileSync(path, 'latin1')];
    }),
  );
}

/** A text in each form in which it may occur in bytes, JSON and URLs. */
export function encodingsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const encodings = [secret, inJson, inJson.replaceAll('/', '\\/'), JSON.stringify(inJson).slice(1, -1), encodeURIComponent(secret)];
  const encoded = ['base64', 'base64url', 'hex'] as const;
  return [...new Set([...encodings, ...encoded.map((coding) => Buffer.from(secret).toString(coding).replace(/=+$/, ''))])];
}
