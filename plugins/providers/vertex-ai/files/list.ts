import { GatewayError } from '#core/error.ts';
import type { Operation, UpstreamRequest } from '#core/provider.ts';
import { paramOf } from '../../_shared/address.ts';
import { listOf } from '#formats/openai-objects/objects.ts';
import { plainRequest, type VertexCall } from '../address.ts';
import { pageOf, Pages, afterNotFound, pageParamsOf } from '../jobs/pages.ts';
import type { VertexSettings } from '../settings.ts';
import { type FileObject, fileOf } from './file-object.ts';
import { storedObjectOf } from './object-id.ts';
import { batchesPrefix, bucketOf, filesPrefix, listAddress, gatewayPrefix, storageHeaders } from './storage.ts';

/** OpenAI's own limits. */
const limits = { defaultLimit: 10_000, maxLimit: 10_000 };
/** Maximum page size of object storage. */
const pageSize = 1000;
/** Maximum number of requests per call. */
const maxPages = 4;

/**
 * Lists the gateway's files in the bucket. Object storage lists by name and can start at a given name, which `after` needs: the
 * outputs of batches come before the uploads, and each begin with the newest.
 */
export const listFiles: Operation<VertexSettings> = {
  isConverted: true,
  begin(_body, call) {
    const selection = selectionIn(call);
    return new Pages({
      request: (token) => pageRequest(call, selection, token),
      next(texts) {
        const { files, token } = filesIn(texts, selection);
        return files.length >= selection.limit ? undefined : token;
      },
      result: (texts) => listResult(texts, selection),
    });
  },
};

/** The files that the client requests. */
interface Selection {
  readonly limit: number;
  readonly purpose: string | undefined;
  /** Name of the last object on the client's previous page. */
  readonly after: string | undefined;
}

/** @throws GatewayError for a limit or an id that cannot be in the list */
function selectionIn(call: VertexCall): Selection {
  const { after, limit } = pageParamsOf(call, limits.defaultLimit, limits.maxLimit);
  const purpose = paramOf(call.query, 'purpose');
  return {
    limit,
    purpose: purpose === '' ? undefined : purpose,
    after: after === undefined ? undefined : nameOf(after, bucketOf(call)),
  };
}

function pageRequest(call: VertexCall, { after, limit, purpose }: Selection, token: string | undefined): UpstreamRequest {
  // One more row for the object at which the list starts. With a purpose filter the number of skipped rows is unknown, so pages are full.
  const size = purpose === undefined ? Math.min(after === undefined ? limit : limit + 1, pageSize) : pageSize;
  const queryParameters: Record<string, string> = { prefix: prefixOf(purpose), maxResults: String(size) };
  if (after !== undefined) queryParameters['startOffset'] = after;
  if (token !== undefined) queryParameters['pageToken'] = token;
  const order = paramOf(call.query, 'order');
  const dropped = order === 'asc' ? [{ param: 'order', reason: 'this provider lists the newest first' }] : [];
  const query = Object.entries(queryParameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return plainRequest(listAddress(call, bucketOf(call), query.join('&')), 'GET', storageHeaders(call), dropped);
}

function prefixOf(purpose: string | undefined): string {
  if (purpose === undefined) return gatewayPrefix;
  return purpose === 'batch_output' ? batchesPrefix : filesPrefix;
}

/** Returns the name of the object at which the list starts. @throws GatewayError `invalid_value` for an id that cannot be in the list */
function nameOf(after: string, bucket: string): string {
  const object = storedObjectOf(after, 'after');
  if (object.bucket !== bucket) throw afterNotFound('file', after);
  return object.name;
}

function filesIn(
  texts: readonly string[],
  { after, purpose }: Selection,
): { readonly files: readonly FileObject[]; readonly token: string | undefined } {
  const pages = texts.map((text) => pageOf(text, 'items'));
  const files = pages.flatMap(({ rows }) =>
    rows.flatMap((row) => {
      const name = String(row['name'] ?? '');
      if (name.endsWith('/') || (after !== undefined && Buffer.compare(Buffer.from(name), Buffer.from(after)) <= 0)) return [];
      const file = fileOf(row);
      return file === undefined || (purpose !== undefined && file.purpose !== purpose) ? [] : [file];
    }),
  );
  return { files, token: pages.at(-1)?.token };
}

function listResult(texts: readonly string[], selection: Selection): ReturnType<typeof listOf> {
  const { limit, purpose = '' } = selection;
  const { files, token } = filesIn(texts, selection);
  if (files.length === 0 && token !== undefined && texts.length >= maxPages) throw tooManyOthers(purpose);
  return listOf(files.slice(0, limit), files.length > limit || token !== undefined);
}

/** Object storage cannot filter by purpose, so the gateway reads the files and stops after some pages. */
const tooManyOthers = (purpose: string): GatewayError =>
  new GatewayError('invalid_value', {
    message: `Invalid 'purpose': the next ${maxPages * pageSize} files have another purpose than "${purpose.slice(0, 100)}".`,
    param: 'purpose',
    hint: 'List the files without "purpose".',
  });
