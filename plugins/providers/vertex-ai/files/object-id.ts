import { GatewayError } from '#core/error.ts';
import type { Call } from '#core/provider.ts';
import { percentDecoded } from '#core/http/query.ts';

/** An object of object storage, which clients use as a file. */
export interface StoredObject {
  readonly bucket: string;
  /** Without a leading slash; may contain slashes. */
  readonly name: string;
}

/** Bucket names (letters, digits, `-`, `_`, `.`), so that a name cannot change the structure of a path. */
const bucketName = /^[a-z0-9](?:[a-z0-9_-]|\.(?!\.)){1,220}[a-z0-9]$/;
/** The service's own limit, in bytes of UTF-8. */
const maxNameBytes = 1024;

export const isBucket = (name: string): boolean => bucketName.test(name);

/** `gs://bucket/name`. */
export const uriOf = ({ bucket, name }: StoredObject): string => `gs://${bucket}/${name}`;

/** The client's id of an object: its URI, URL-encoded. */
export const fileIdOf = (object: StoredObject): string => encodeURIComponent(uriOf(object).toWellFormed());

/**
 * Parses `gs://bucket/name`; undefined for anything else. Object storage allows names with dot segments, but a proxy in front of
 * it may resolve `..%2F`, which would leave the bucket.
 */
export function parseUri(text: string): StoredObject | undefined {
  const match = /^gs:\/\/([^/]+)\/(.+)$/s.exec(text);
  const [, bucket = '', name = ''] = match ?? [];
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  const isName = !/(?:^|\/)\.{1,2}(?:\/|$)|[\x00-\x1f\x7f]/.test(name) && Buffer.byteLength(name) <= maxNameBytes;
  return isBucket(bucket) && isName ? { bucket, name } : undefined;
}

/**
 * Returns the object of a file id. Clients encode ids once more or not at all, and routers decode them. The id is decoded until it
 * is a URI, and no further, since names may contain percent signs.
 *
 * @throws GatewayError `invalid_value` (404) if it is not an id of this provider
 */
export function storedObjectOf(id: string, param: string): StoredObject {
  let text = id;
  for (let round = 0; round < 3 && !text.startsWith('gs://'); round += 1) text = percentDecoded(text);
  const object = parseUri(text);
  if (object !== undefined) return object;
  throw new GatewayError('invalid_value', {
    message: `No such file: "${id.slice(0, 200)}" is not the id of a file at this provider.`,
    status: 404,
    param,
    hint: 'Ids are URL-encoded gs://bucket/object addresses.',
  });
}

/** Ten digits: sufficient for seconds until the year 2286. */
const maxSeconds = 9_999_999_999;
/** Maximum number of characters kept of a file name. */
const maxNameLength = 200;

/**
 * Returns the folder for the objects of one request. The request's id separates uploads. The time prefix counts down, since object
 * storage lists by name and clients expect the newest first.
 */
export const folderOf = ({ createdAt, id }: Pick<Call, 'createdAt' | 'id'>): string =>
  `${String(maxSeconds - createdAt).padStart(10, '0')}-${encodeURIComponent(id)}`;

/**
 * Returns the last part of a client's file name, cleaned for an object's name. Jobs interpret input URIs as patterns
 * (GcsSource.uris, "May contain wildcards"), so a file with brackets in its name would not be found.
 */
export function fileNameOf(filename: string | undefined): string {
  const baseName = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const clean = baseName.toWellFormed().replaceAll(/[\x00-\x1f\x7f]/g, '');
  const name = Array.from(clean.replaceAll(/[*?[\]]/g, '_'))
    .slice(-maxNameLength)
    .join('');
  return name === '' || name === '.' || name === '..' ? 'file' : name;
}
