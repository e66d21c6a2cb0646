import { JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { JsonObject } from '#core/json/merge.ts';
import type { Dropped, Operation, UpstreamRequest } from '#core/provider.ts';
import { OpaqueTap } from '#formats/shared/response/json-tap.ts';
import { textOf } from '#formats/shared/json.ts';
import { allowEmpty } from '#formats/openai-objects/object-tap.ts';
import { listOf } from '#formats/openai-objects/objects.ts';
import { commonHeaders, plainRequest, resourceAddress, type VertexCall } from '../address.ts';
import { parseRow } from '../files/file-object.ts';
import type { VertexSettings } from '../settings.ts';
import { selectRows, pageOf, Pages, afterTooOld, afterNotFound, type PageParams, pageParamsOf } from './pages.ts';

/** The differences between batch jobs and tuning jobs. Both are jobs of a project and region. */
export interface JobKind {
  /** Path segment, and member of a list response. */
  readonly collection: 'batchPredictionJobs' | 'tuningJobs';
  /** For error messages. */
  readonly noun: string;
  /** Row limits of lists: the default and the maximum. */
  readonly limits: { readonly defaultLimit: number; readonly maxLimit: number | undefined };
  /** Converts a job to the client's object. */
  object(job: JsonObject): { readonly id: string };
  /** Returns the object for a cancelled job that cannot be read. */
  cancelled(id: string): unknown;
}

/** Maximum page size of the service, and maximum number of requests per call. */
const pageSize = 100;
const maxPages = 4;

const jobId = /^[A-Za-z0-9_-]{1,128}$/;

/** Returns the job id in the path. @throws GatewayError `invalid_value` (404) for impossible ids */
export function jobIn(call: VertexCall, { noun }: JobKind): string {
  const id = call.params['id'] ?? '';
  if (jobId.test(id)) return id;
  throw new GatewayError('invalid_value', {
    message: `No ${noun} found with id "${id.slice(0, 100)}".`,
    status: 404,
    param: 'id',
    hint: 'Ids of this provider are the numbers at the end of its resource names.',
  });
}

export const readJob = (call: VertexCall, kind: JobKind): UpstreamRequest =>
  plainRequest(resourceAddress(call, `${kind.collection}/${jobIn(call, kind)}`), 'GET', commonHeaders(call));

export const retrieveJob = (kind: JobKind): Operation<VertexSettings> => ({
  isConverted: true,
  begin: (_body, call) => ({ request: readJob(call, kind), tap: new OpaqueTap(), result: (text) => objectIn(text, kind.object) }),
});

/** The service returns no object after a cancel, so the job is read afterwards. */
export const cancelJob = (kind: JobKind): Operation<VertexSettings> => ({
  isConverted: true,
  begin(_body, call) {
    const address = resourceAddress(call, `${kind.collection}/${jobIn(call, kind)}:cancel`);
    const result = (text: string) => {
      const job = kind.object(parseRow(text));
      return job.id === '' ? kind.cancelled(jobIn(call, kind)) : job;
    };
    return {
      request: { ...address, method: 'POST', headers: commonHeaders(call), body: JsonBody.of({}), dropped: [] },
      tap: allowEmpty(new OpaqueTap()),
      result,
      then: () => ({ request: readJob(call, kind), tap: new OpaqueTap(), result, recover: () => kind.cancelled(jobIn(call, kind)) }),
    };
  },
});

/** Lists the jobs after an id. Pages are read from the newest on until the id is found, since the service supports only page tokens. */
export const listJobs = (kind: JobKind): Operation<VertexSettings> => ({
  isConverted: true,
  begin(_body, call) {
    const page = pageParamsOf(call, kind.limits.defaultLimit, kind.limits.maxLimit);
    const select = (texts: readonly string[]) =>
      selectRows(
        texts.map((text) => pageOf(text, kind.collection)),
        jobIdOf,
        page,
      );
    return new Pages({
      request: (token) => pageRequest(call, kind, page, token),
      next(texts) {
        const { next, isFound } = select(texts);
        if (next === undefined && !isFound) throw afterNotFound(kind.noun, page.after);
        return next;
      },
      result(texts) {
        const { rows, hasMore, isFound } = select(texts);
        // `next` is not called after the last allowed request, so this check is repeated here.
        if (!hasMore && !isFound) throw afterNotFound(kind.noun, page.after);
        if (rows.length === 0 && hasMore && texts.length >= maxPages) throw afterTooOld(kind.noun, page.after, maxPages * pageSize);
        return listOf(
          rows.map((row) => kind.object(row)),
          hasMore,
        );
      },
    });
  },
});

/** Converts the job in a response. @throws GatewayError `upstream_invalid` if it has no name, as then no later request could refer to it */
export function objectIn<Converted extends { readonly id: string }>(text: string, object: (job: JsonObject) => Converted): Converted {
  const converted = object(parseRow(text));
  if (converted.id !== '') return converted;
  throw new GatewayError('upstream_invalid', { message: 'The response names no job.', source: 'provider' });
}

/** Returns the last part of a resource name. */
export function jobIdOf(job: JsonObject): string {
  const name = textOf(job['name']) ?? '';
  return name.slice(name.lastIndexOf('/') + 1);
}

function pageRequest(call: VertexCall, { collection }: JobKind, { after, limit }: PageParams, token: string | undefined): UpstreamRequest {
  // The position of an id in the list is unknown: reading full pages finds it fastest.
  const size = after === undefined && token === undefined ? Math.min(limit, pageSize) : pageSize;
  const query = `pageSize=${size}${token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`}`;
  const dropped = token === undefined ? filtersOf(call) : [];
  return plainRequest(resourceAddress(call, `${collection}?${query}`), 'GET', commonHeaders(call), dropped);
}

/** Returns the client's filters that the service does not support. */
function filtersOf({ query }: VertexCall): readonly Dropped[] {
  const names = new Set([...new URLSearchParams(query).keys()].filter((name) => name !== 'after' && name !== 'limit'));
  return [...names].map((param) => ({ param, reason: 'not supported by this service' }));
}
