import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call, UpstreamAddress } from '#core/provider.ts';
import type { FileRules } from '#formats/google-generate/request/conversion.ts';
import { type Base, baseOf, memo } from '../../_shared/address.ts';
import { requireCredential, type VertexCall } from '../address.ts';
import type { VertexSettings } from '../settings.ts';
import { isBucket, objectOf, type StoredObject } from './object-id.ts';

/** Everything that the gateway stores lies below this, so that a bucket may hold other things as well. */
export const ownPrefix = 'gateway/';
/** Uploads, and answers of batches. */
export const filesPrefix = `${ownPrefix}files/`;
export const batchesPrefix = `${ownPrefix}batches/`;

/** Parsed once for each settings object. */
const baseIn = memo(({ storage_host: host }: VertexSettings): Base => baseOf(host ?? 'https://storage.googleapis.com'));

/** @throws GatewayError `missing_credential` */
function at(call: VertexCall, tail: string): UpstreamAddress {
  requireCredential(call, call.settings.storage_host);
  const { origin, path } = baseIn(call.settings);
  return { origin, path: `${path}${tail}` };
}

export const uploadAddress = (call: VertexCall, { bucket, name }: StoredObject): UpstreamAddress =>
  at(call, `/upload/storage/v1/b/${bucket}/o?uploadType=media&name=${segmentOf(name)}`);

/** One object: what is known of it, or with `?alt=media` its bytes. */
export const objectAddress = (call: VertexCall, { bucket, name }: StoredObject, query = ''): UpstreamAddress =>
  at(call, `/storage/v1/b/${bucket}/o/${segmentOf(name)}${query}`);

export const listAddress = (call: VertexCall, bucket: string, query: string): UpstreamAddress =>
  at(call, `/storage/v1/b/${bucket}/o?${query}`);

/** A name is one segment of the path, its slashes encoded. */
const segmentOf = (name: string): string => encodeURIComponent(name.toWellFormed());

/** @throws GatewayError `missing_required_parameter`, `invalid_config` */
export function bucketOf({ settings }: VertexCall): string {
  const bucket = settings.storage_bucket;
  if (bucket === undefined) {
    throw new GatewayError('missing_required_parameter', {
      message: 'No bucket is set: this provider stores files in object storage.',
      param: 'storage_bucket',
      hint: 'Set storage_bucket of the provider, or send x-gateway-vertex-storage-bucket-name with your own credential.',
    });
  }
  if (isBucket(bucket)) return bucket;
  throw new GatewayError('invalid_config', {
    message: `"${bucket.slice(0, 100)}" is not the name of a bucket.`,
    param: 'storage_bucket',
    hint: 'Use the name alone, without gs://.',
  });
}

/**
 * The object that an id names, if this call may touch it. The operator's credential opens the buckets of the entry
 * only; a caller's own opens what it opens.
 *
 * @throws GatewayError `invalid_value` (404), `not_allowed`
 */
export function allowedObject(call: VertexCall, id: string, param: string): StoredObject {
  const object = objectOf(id, param);
  if (!isCallers(call)) checkBucket(call.settings, object, param);
  return object;
}

/** @throws GatewayError `not_allowed` unless the entry names the object's bucket */
function checkBucket({ storage_bucket: own, media }: VertexSettings, { bucket }: StoredObject, param: string): void {
  if (bucket === own || media?.buckets?.includes(bucket) === true) return;
  throw new GatewayError('not_allowed', {
    message: `The bucket "${bucket}" is not configured for this provider.`,
    param,
    hint: 'Add it to media.buckets of the provider, or use your own credential.',
  });
}

/**
 * The object, if this call may change it: with the operator's credential nothing is changed in buckets that were only
 * opened for reading.
 *
 * @throws GatewayError `not_allowed`
 */
export function ownObject(call: VertexCall, object: StoredObject, param: string): StoredObject {
  if (isCallers(call) || object.bucket === call.settings.storage_bucket) return object;
  throw new GatewayError('not_allowed', {
    message: `Nothing is deleted in the bucket "${object.bucket}": it is not the storage_bucket of this provider.`,
    param,
    hint: 'Use your own credential.',
  });
}

const isCallers = ({ credential }: Pick<Call, 'credential'>): boolean => credential === 'caller' || credential === 'forwarded';

/** Headers of a request to object storage, beside the credential. */
export function storageHeaders(call: VertexCall, accept = 'application/json'): HeaderPairs {
  const { quota_project: project } = call.settings;
  return ['accept', accept, ...(project === undefined ? [] : ['x-goog-user-project', project])];
}

const ofEntry = memo(
  (settings: VertexSettings): FileRules => ({
    check: (uri, param) => checkBucket(settings, objectOf(uri, param), param),
  }),
);

/**
 * Which files a request may name by address where Vertex AI reads them itself: those of the buckets that the entry names,
 * if it names any. A caller's own credential opens what it opens.
 */
export function fileRules({ settings, credential }: Pick<Call<VertexSettings>, 'settings' | 'credential'>): FileRules | undefined {
  if (isCallers({ credential })) return undefined;
  return settings.storage_bucket === undefined && settings.media?.buckets === undefined ? undefined : ofEntry(settings);
}
