import { JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { Plain } from '#core/json/merge.ts';
import type { Call, Dropped, OldOperation, UpstreamRequest } from '#core/provider.ts';
import { WholeTap } from '#formats/shared/json-tap.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { orNothing } from '#formats/openai-objects/object-tap.ts';
import { listOf } from '#formats/openai-objects/objects.ts';
import { type Addresses, commonHeaders } from './address.ts';
import { cutOf, pageOf, tooDeep, unknownAfter, type Wanted, wantedOf } from './pages.ts';
import { plainRequest } from './plain-request.ts';
import type { VertexSettings } from './settings.ts';

type VertexCall = Call<VertexSettings>;

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

export const readJob = (to: Addresses, call: VertexCall, kind: JobKind, dropped: readonly Dropped[] = []): UpstreamRequest =>
  plainRequest(to.resource(call, `${kind.collection}/${jobIn(call, kind)}`), 'GET', commonHeaders(call), dropped);

export function retrieveJob(to: Addresses, kind: JobKind): OldOperation<VertexSettings> {
  return {
    request: (_body, call) => readJob(to, call, kind),
    tap: () => new WholeTap(),
    result: (text) => kind.object(parseObject(text) ?? {}),
  };
}

/** The service answers a cancel with nothing: the job is read afterwards. */
export function cancelJob(to: Addresses, kind: JobKind): OldOperation<VertexSettings> {
  return {
    request: (_body, call) => ({
      ...to.resource(call, `${kind.collection}/${jobIn(call, kind)}:cancel`),
      method: 'POST',
      headers: commonHeaders(call),
      body: JsonBody.of({}),
      dropped: [],
    }),
    then: (replies, call) => (replies.length === 1 ? readJob(to, call, kind) : undefined),
    recover: (_replies, call) => kind.cancelled(jobIn(call, kind)),
    tap: (_call, earlier) => (earlier === undefined ? orNothing(new WholeTap()) : new WholeTap()),
    result: (text) => kind.object(parseObject(text) ?? {}),
  };
}

/** Jobs behind an id: pages are walked from the newest on until it is met, since the service knows page tokens only. */
export function listJobs(to: Addresses, kind: JobKind): OldOperation<VertexSettings> {
  return {
    request: (_body, call) => pageRequest(to, call, kind, { dropped: filtersOf(call) }),
    then(replies, call) {
      const wanted = wantedBy(call, kind);
      const cut = cutFor(
        replies.map(({ text }) => text),
        kind,
        wanted,
      );
      if (cut.next !== undefined) return pageRequest(to, call, kind, { token: cut.next, dropped: [] });
      if (!cut.isFound) throw unknownAfter(kind.noun, wanted.after);
      return undefined;
    },
    tap: () => new WholeTap(),
    result(text, call, _answer, earlier) {
      const wanted = wantedBy(call, kind);
      const texts = [...(earlier ?? []).map((reply) => reply.text), text];
      const { rows, hasMore } = cutFor(texts, kind, wanted);
      if (rows.length === 0 && hasMore && texts.length >= maxPages) throw tooDeep(kind.noun, wanted.after, maxPages * pageSize);
      return listOf(
        rows.map((row) => kind.object(row)),
        hasMore,
      );
    },
  };
}

const wantedBy = (call: VertexCall, { limits }: JobKind): Wanted => wantedOf(call, limits.usual, limits.most);

const cutFor = (texts: readonly string[], kind: JobKind, wanted: Wanted): ReturnType<typeof cutOf> =>
  cutOf(
    texts.map((text) => pageOf(text, kind.collection)),
    jobIdOf,
    wanted,
  );

/** The last part of a resource's name. */
export function jobIdOf(job: Plain): string {
  const name = textOf(job['name']) ?? '';
  return name.slice(name.lastIndexOf('/') + 1);
}

interface PageAsked {
  readonly token?: string;
  readonly dropped: readonly Dropped[];
}

function pageRequest(to: Addresses, call: VertexCall, kind: JobKind, { token, dropped }: PageAsked): UpstreamRequest {
  const { after, limit } = wantedBy(call, kind);
  // Behind an id nobody knows how deep it lies: whole pages get there soonest.
  const size = after === undefined && token === undefined ? Math.min(limit, pageSize) : pageSize;
  const query = `pageSize=${size}${token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`}`;
  return plainRequest(to.resource(call, `${kind.collection}?${query}`), 'GET', commonHeaders(call), dropped);
}

/** Filters of the client that the service does not have. */
function filtersOf({ query }: VertexCall): readonly Dropped[] {
  const names = new Set([...new URLSearchParams(query).keys()].filter((name) => name !== 'after' && name !== 'limit'));
  return [...names].map((param) => ({ param, reason: 'not supported by this service' }));
}
