import { JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { Plain } from '#core/json/merge.ts';
import type { Dropped, Operation, UpstreamRequest } from '#core/provider.ts';
import { WholeTap } from '#formats/shared/answer/json-tap.ts';
import { textOf } from '#formats/shared/json.ts';
import { orNothing } from '#formats/openai-objects/object-tap.ts';
import { listOf } from '#formats/openai-objects/objects.ts';
import { commonHeaders, plainRequest, resourceAddress, type VertexCall } from '../address.ts';
import { rowOf } from '../files/file-object.ts';
import type { VertexSettings } from '../settings.ts';
import { cutOf, pageOf, Pages, tooDeep, unknownAfter, type Wanted, wantedOf } from './pages.ts';

/** What batch jobs and tuning jobs differ in: both are jobs below a project and region. */
export interface JobKind {
  /** Segment of the path, and member of a list's answer. */
  readonly collection: 'batchPredictionJobs' | 'tuningJobs';
  /** For messages. */
  readonly noun: string;
  /** Of lists: rows when the client says nothing, and the most it may ask for. */
  readonly limits: { readonly usual: number; readonly most: number | undefined };
  /** The client's object. */
  object(job: Plain): { readonly id: string };
  /** What is known of a job that was cancelled and can't be read. */
  cancelled(id: string): unknown;
}

/** The most that the service gives at once, and requests of one call in all. */
const pageSize = 100;
const maxPages = 4;

const jobId = /^[A-Za-z0-9_-]{1,128}$/;

/** The job that a path names. @throws GatewayError `invalid_value` (404) for what can be no id of a job */
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
  begin: (_body, call) => ({ request: readJob(call, kind), tap: new WholeTap(), result: (text) => kind.object(rowOf(text)) }),
});

/** The service answers a cancel with nothing: the job is read afterwards. */
export const cancelJob = (kind: JobKind): Operation<VertexSettings> => ({
  isConverted: true,
  begin(_body, call) {
    const address = resourceAddress(call, `${kind.collection}/${jobIn(call, kind)}:cancel`);
    const result = (text: string) => kind.object(rowOf(text));
    return {
      request: { ...address, method: 'POST', headers: commonHeaders(call), body: JsonBody.of({}), dropped: [] },
      tap: orNothing(new WholeTap()),
      result,
      then: () => ({ request: readJob(call, kind), tap: new WholeTap(), result, recover: () => kind.cancelled(jobIn(call, kind)) }),
    };
  },
});

/** Jobs behind an id: pages are walked from the newest on until it is met, since the service knows page tokens only. */
export const listJobs = (kind: JobKind): Operation<VertexSettings> => ({
  isConverted: true,
  begin(_body, call) {
    const wanted = wantedOf(call, kind.limits.usual, kind.limits.most);
    const cut = (texts: readonly string[]) =>
      cutOf(
        texts.map((text) => pageOf(text, kind.collection)),
        jobIdOf,
        wanted,
      );
    return new Pages({
      request: (token) => pageRequest(call, kind, wanted, token),
      next(texts) {
        const { next, isFound } = cut(texts);
        if (next === undefined && !isFound) throw unknownAfter(kind.noun, wanted.after);
        return next;
      },
      result(texts) {
        const { rows, hasMore, isFound } = cut(texts);
        // After the last request that a call may take, nothing asks for what is next.
        if (!hasMore && !isFound) throw unknownAfter(kind.noun, wanted.after);
        if (rows.length === 0 && hasMore && texts.length >= maxPages) throw tooDeep(kind.noun, wanted.after, maxPages * pageSize);
        return listOf(
          rows.map((row) => kind.object(row)),
          hasMore,
        );
      },
    });
  },
});

/** The last part of a resource's name. */
export function jobIdOf(job: Plain): string {
  const name = textOf(job['name']) ?? '';
  return name.slice(name.lastIndexOf('/') + 1);
}

function pageRequest(call: VertexCall, { collection }: JobKind, { after, limit }: Wanted, token: string | undefined): UpstreamRequest {
  // The position of an id in the list is unknown: reading full pages finds it fastest.
  const size = after === undefined && token === undefined ? Math.min(limit, pageSize) : pageSize;
  const query = `pageSize=${size}${token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`}`;
  const dropped = token === undefined ? filtersOf(call) : [];
  return plainRequest(resourceAddress(call, `${collection}?${query}`), 'GET', commonHeaders(call), dropped);
}

/** Filters of the client that the service does not have. */
function filtersOf({ query }: VertexCall): readonly Dropped[] {
  const names = new Set([...new URLSearchParams(query).keys()].filter((name) => name !== 'after' && name !== 'limit'));
  return [...names].map((param) => ({ param, reason: 'not supported by this service' }));
}
