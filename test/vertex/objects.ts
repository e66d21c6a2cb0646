import type { ServerResponse } from 'node:http';
import { json } from '../support/upstream.ts';
import { type ParsedRequest, invalid, notFound, Refusal } from './parsed-request.ts';

interface Stored {
  bytes: Buffer;
  contentType: string;
  timeCreated: string;
  metadata: Record<string, string> | undefined;
}

/** Object storage, its JSON interface. */
export class Objects {
  readonly stored = new Map<string, Stored>();
  readonly #buckets: ReadonlySet<string>;

  constructor(buckets: readonly string[]) {
    this.#buckets = new Set(buckets);
  }

  put(uri: string, text: string): void {
    this.stored.set(uri, {
      bytes: Buffer.from(text),
      contentType: 'application/jsonl',
      timeCreated: '2026-11-02T09:00:00.5Z',
      metadata: undefined,
    });
  }

  text(uri: string): string {
    return this.stored.get(uri)?.bytes.toString('utf8') ?? '';
  }

  answer(parsed: ParsedRequest, response: ServerResponse): void {
    const upload = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/.exec(parsed.path);
    if (upload !== null) return json(response, 200, this.#upload(parsed, this.#bucket(upload[1])));
    const list = /^\/storage\/v1\/b\/([^/]+)\/o$/.exec(parsed.path);
    if (list !== null) return json(response, 200, this.#list(parsed, this.#bucket(list[1])));
    // An object's name is one segment: slashes that are not encoded name another resource.
    const one = /^\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)$/.exec(parsed.path);
    if (one === null) throw new Refusal(404, 'NOT_FOUND', 'Not Found');
    return this.#one(parsed, response, `gs://${this.#bucket(one[1])}/${decodeURIComponent(one[2] ?? '')}`);
  }

  #bucket(name = ''): string {
    if (!this.#buckets.has(name)) throw notFound('The specified bucket does not exist.');
    return name;
  }

  #upload({ method, query, request }: ParsedRequest, bucket: string): object {
    const name = query.get('name');
    if (method !== 'POST' || query.get('uploadType') !== 'media' || name === null || name === '') throw invalid('Required parameter: name');
    const contentType = request.headers['content-type'] ?? 'application/octet-stream';
    // The form's envelope has no business in the object.
    if (contentType.startsWith('multipart/')) throw invalid('Bad content type.');
    const uri = `gs://${bucket}/${name}`;
    this.stored.set(uri, { bytes: request.body, contentType, timeCreated: '2026-11-02T09:00:00.5Z', metadata: undefined });
    return this.#row(uri);
  }

  #one({ method, query, request, body }: ParsedRequest, response: ServerResponse, uri: string): void {
    const object = this.stored.get(uri);
    if (object === undefined) {
      if (query.get('alt') === 'media') response.writeHead(404, { 'content-type': 'text/html' }).end(`No such object: ${uri}`);
      else throw notFound(`No such object: ${uri.slice('gs://'.length)}`);
      return;
    }
    if (method === 'DELETE') {
      this.stored.delete(uri);
      response.writeHead(204).end();
    } else if (method === 'PATCH') {
      object.metadata = body()['metadata'] as Record<string, string>;
      json(response, 200, this.#row(uri));
    } else if (method !== 'GET') throw new Refusal(405, 'INVALID_ARGUMENT', 'Method not allowed.');
    else if (query.get('alt') !== 'media') json(response, 200, this.#row(uri));
    else media(response, object, request.headers.range);
  }

  #list({ method, query }: ParsedRequest, bucket: string): object {
    if (method !== 'GET') throw new Refusal(405, 'INVALID_ARGUMENT', 'Method not allowed.');
    const size = Number(query.get('maxResults') ?? 1000);
    if (!(size >= 1 && size <= 1000)) throw invalid('Invalid value for: maxResults');
    const from = query.get('pageToken') ?? query.get('startOffset') ?? '';
    const start = `gs://${bucket}/`;
    const names = [...this.stored.keys()]
      .filter((uri) => uri.startsWith(start + (query.get('prefix') ?? '')) && uri.slice(start.length) >= from)
      .sort();
    const next = names[size];
    return {
      kind: 'storage#objects',
      items: names.slice(0, size).map((uri) => this.#row(uri)),
      ...(next === undefined ? {} : { nextPageToken: next.slice(start.length) }),
    };
  }

  #row(uri: string): object {
    const [, bucket, name] = /^gs:\/\/([^/]+)\/(.+)$/s.exec(uri) ?? [];
    const { bytes, contentType, timeCreated, metadata } = this.stored.get(uri) as Stored;
    return { kind: 'storage#object', bucket, name, size: String(bytes.length), contentType, timeCreated, ...(metadata && { metadata }) };
  }
}

function media(response: ServerResponse, { bytes, contentType }: Stored, range: string | undefined): void {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (from === undefined) {
    response.writeHead(200, { 'content-type': contentType, 'content-length': bytes.length }).end(bytes);
    return;
  }
  const part = bytes.subarray(Number(from), to === '' || to === undefined ? undefined : Number(to) + 1);
  response
    .writeHead(206, {
      'content-type': contentType,
      'content-length': part.length,
      'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`,
    })
    .end(part);
}
