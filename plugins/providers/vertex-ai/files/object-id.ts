import { GatewayError } from '#core/error.ts';
import type { Call } from '#core/provider.ts';
import { percentDecoded } from '#core/http/query.ts';

/** An object of object storage: what the client knows as a file. */
export interface StoredObject {
  readonly bucket: string;
  /** Without a slash in front; may hold slashes. */
  readonly name: string;
}

/** Names of buckets (letters, digits, `-`, `_`, `.`): no text that could leave its place in a path. */
const bucketName = /^[a-z0-9](?:[a-z0-9_-]|\.(?!\.)){1,220}[a-z0-9]$/;
/** The service's own limit, in bytes of UTF-8. */
const maxName = 1024;

export const isBucket = (name: string): boolean => bucketName.test(name);

/** `gs://bucket/name`. */
export const uriOf = ({ bucket, name }: StoredObject): string => `gs://${bucket}/${name}`;

/** The id under which clients know an object: its URI, URL-encoded. */
export const fileIdOf = (object: StoredObject): string => encodeURIComponent(uriOf(object).toWellFormed());

/**
 * Reads `gs://bucket/name`; undefined for everything else. Object storage allows names with dot segments, but whatever
 * is before it may resolve `..%2F` and leave the bucket.
 */
export function parseUri(text: string): StoredObject | undefined {
  const match = /^gs:\/\/([^/]+)\/(.+)$/s.exec(text);
  const [, bucket = '', name = ''] = match ?? [];
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  const isName = !/(?:^|\/)\.{1,2}(?:\/|$)|[\x00-\x1f\x7f]/.test(name) && Buffer.byteLength(name) <= maxName;
  return isBucket(bucket) && isName ? { bucket, name } : undefined;
}

/**
 * The object that a file id names. Clients encode ids once more or not at all, and routers decode them: the id is decoded
 * until it is a URI, and no further, since names may hold percent signs.
 *
 * @throws GatewayError `invalid_value` (404) for what is no id of this provider
 */
export function objectOf(id: string, param: string): StoredObject {
  let text = id;
  for (let times = 0; times < 3 && !text.startsWith('gs://'); times += 1) text = percentDecoded(text);
  const object = parseUri(text);
  if (object !== undefined) return object;
  throw new GatewayError('invalid_value', {
    message: `No such file: "${id.slice(0, 200)}" is not the id of a file at this provider.`,
    status: 404,
    param,
    hint: 'Ids are URL-encoded gs://bucket/object addresses.',
  });
}

/** Ten digits: enough for seconds until the year 2286. */
const end = 9_999_999_999;
/** Characters of a file name that are kept. */
const longest = 200;

/**
 * A folder for what one request makes. The request's id keeps two uploads apart; the time in front of it runs backwards,
 * since object storage lists by name and clients expect the newest first.
 */
export const folderOf = ({ createdAt, id }: Pick<Call, 'createdAt' | 'id'>): string =>
  `${String(end - createdAt).padStart(10, '0')}-${encodeURIComponent(id)}`;

/**
 * The last part of a name that a client sent, as a part of an object's name. Jobs read the addresses of their inputs as
 * patterns (GcsSource.uris, "May contain wildcards"): a file whose name has brackets would not be found by it.
 */
export function fileNameOf(sent: string | undefined): string {
  const last = (sent ?? '').split(/[/\\]/).at(-1) ?? '';
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const clean = last.toWellFormed().replaceAll(/[\x00-\x1f\x7f]/g, '');
  const kept = Array.from(clean.replaceAll(/[*?[\]]/g, '_'))
    .slice(-longest)
    .join('');
  return kept === '' || kept === '.' || kept === '..' ? 'file' : kept;
}
