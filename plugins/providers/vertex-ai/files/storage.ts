import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call, UpstreamAddress } from '#core/provider.ts';
import { type Base, baseOf, memo } from '../../_shared/address.ts';
import { requireCredential } from '../address.ts';
import type { VertexSettings } from '../settings.ts';
import { isBucket, objectOf, type StoredObject } from './object-id.ts';

type VertexCall = Call<VertexSettings>;

/** Everything that the gateway stores lies below this, so that a bucket may hold other things as well. */
export const ownPrefix = 'gateway/';
/** Uploads, and answers of batches. */
export const filesPrefix = `${ownPrefix}files/`;
export const batchesPrefix = `${ownPrefix}batches/`;

/** Object storage for one call: addresses, and which buckets it may touch. */
export interface Storage {
  upload(call: VertexCall, object: StoredObject): UpstreamAddress;
  /** One object: what is known of it, or with `?alt=media` its bytes. */
  object(call: VertexCall, object: StoredObject, query?: string): UpstreamAddress;
  list(call: VertexCall, bucket: string, query: string): UpstreamAddress;
}

/** Made where the provider is defined: hosts are parsed once for each settings object. */
export function storage(): Storage {
  const base = memo(({ storage_host: host }: VertexSettings): Base => baseOf(host ?? 'https://storage.googleapis.com'));
  const at = (call: VertexCall, tail: string): UpstreamAddress => {
    requireCredential(call, call.settings.storage_host);
    const { origin, path } = base(call.settings);
    return { origin, path: `${path}${tail}` };
  };
  return {
    upload: (call, { bucket, name }) => at(call, `/upload/storage/v1/b/${bucket}/o?uploadType=media&name=${segmentOf(name)}`),
    object: (call, { bucket, name }, query = '') => at(call, `/storage/v1/b/${bucket}/o/${segmentOf(name)}${query}`),
    list: (call, bucket, query) => at(call, `/storage/v1/b/${bucket}/o?${query}`),
  };
}

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
export function checkBucket({ storage_bucket: own, media }: VertexSettings, { bucket }: StoredObject, param: string): void {
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

const isCallers = ({ credential }: VertexCall): boolean => credential === 'caller' || credential === 'forwarded';

/** Headers of a request to object storage, beside the credential. */
export function storageHeaders(call: VertexCall, accept = 'application/json'): HeaderPairs {
  const { quota_project: project } = call.settings;
  return ['accept', accept, ...(project === undefined ? [] : ['x-goog-user-project', project])];
}
