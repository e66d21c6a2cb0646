import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call, UpstreamAddress } from '#core/provider.ts';
import type { FileRules } from '#formats/google-generate/request/conversion.ts';
import { type Base, baseOf, memoize } from '../../_shared/address.ts';
import { requireCredential, type VertexCall } from '../address.ts';
import type { VertexSettings } from '../settings.ts';
import { isBucket, parseUri, storedObjectOf, type StoredObject } from './object-id.ts';

/** Prefix of all objects that the gateway stores, so that a bucket can contain other objects too. */
export const gatewayPrefix = 'gateway/';
/** Prefixes of uploads and of batch output. */
export const filesPrefix = `${gatewayPrefix}files/`;
export const batchesPrefix = `${gatewayPrefix}batches/`;
/** Prefix of the images that requests store. */
const imagesPrefix = `${gatewayPrefix}images/`;

/** Parsed once per settings object. */
const baseIn = memoize(({ storage_host: host }: VertexSettings): Base => baseOf(host ?? 'https://storage.googleapis.com'));

/** Builds an address of object storage. @throws GatewayError `missing_credential` */
function storageAddress(call: VertexCall, tail: string): UpstreamAddress {
  requireCredential(call, call.settings.storage_host);
  const { origin, path } = baseIn(call.settings);
  return { origin, path: `${path}${tail}` };
}

export const uploadAddress = (call: VertexCall, { bucket, name }: StoredObject): UpstreamAddress =>
  storageAddress(call, `/upload/storage/v1/b/${bucket}/o?uploadType=media&name=${segmentOf(name)}`);

/** Address of one object: its metadata, or with `?alt=media` its bytes. */
export const objectAddress = (call: VertexCall, { bucket, name }: StoredObject, query = ''): UpstreamAddress =>
  storageAddress(call, `/storage/v1/b/${bucket}/o/${segmentOf(name)}${query}`);

export const listAddress = (call: VertexCall, bucket: string, query: string): UpstreamAddress =>
  storageAddress(call, `/storage/v1/b/${bucket}/o?${query}`);

/** Encodes a name as one path segment, including its slashes. */
const segmentOf = (name: string): string => encodeURIComponent(name.toWellFormed());

/** Returns the configured bucket. @throws GatewayError `missing_required_parameter`, `invalid_config` */
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
 * Returns the object of an id, if this call may access it. The operator's credential may access only the buckets in the provider's
 * settings; a caller's own credential is not restricted by the gateway.
 *
 * @throws GatewayError `invalid_value` (404), `not_allowed`
 */
export function allowedObject(call: VertexCall, id: string, param: string): StoredObject {
  const object = storedObjectOf(id, param);
  if (!isCallerCredential(call)) checkBucket(call.settings, object, param);
  return object;
}

/** @throws GatewayError `not_allowed` unless the provider's settings contain the object's bucket */
function checkBucket({ storage_bucket: storageBucket, media }: VertexSettings, { bucket }: StoredObject, param: string): void {
  if (bucket === storageBucket || media?.buckets?.includes(bucket) === true) return;
  throw new GatewayError('not_allowed', {
    message: `The bucket "${bucket}" is not configured for this provider.`,
    param,
    hint: 'Add it to media.buckets of the provider, or use your own credential.',
  });
}

/**
 * Returns the object, if this call may delete it. With the operator's credential, only files that the gateway and its batches
 * wrote are deleted.
 *
 * @throws GatewayError `not_allowed`
 */
export function deletableObject(call: VertexCall, object: StoredObject): StoredObject {
  if (isCallerCredential(call)) return object;
  const { bucket, name } = object;
  if (bucket === call.settings.storage_bucket && name.startsWith(gatewayPrefix)) return object;
  const message =
    bucket === call.settings.storage_bucket
      ? `The gateway deletes only objects below "${gatewayPrefix}" in the bucket "${bucket}".`
      : `The gateway deletes nothing in the bucket "${bucket}": it is not the storage_bucket of this provider.`;
  throw new GatewayError('not_allowed', { message, param: 'file_id', hint: 'Use your own credential.' });
}

/**
 * Returns the bucket for the output of a batch. The operator's credential writes only to `storage_bucket`.
 *
 * @throws GatewayError `missing_required_parameter`, `invalid_config`
 */
export const outputBucket = (call: VertexCall, input: StoredObject): string =>
  isCallerCredential(call) && call.settings.storage_bucket === undefined ? input.bucket : bucketOf(call);

const isCallerCredential = ({ credential }: Pick<Call, 'credential'>): boolean => credential === 'caller' || credential === 'forwarded';

/** Headers of a request to object storage, in addition to the credential. */
export function storageHeaders(call: VertexCall, accept = 'application/json'): HeaderPairs {
  const { quota_project: project } = call.settings;
  return ['accept', accept, ...(project === undefined ? [] : ['x-goog-user-project', project])];
}

const providerFileRules = memoize(
  (settings: VertexSettings): FileRules => ({
    check: (uri, param) => checkBucket(settings, storedObjectOf(uri, param), param),
  }),
);

/**
 * Rules for files that Vertex AI reads itself: a request may reference only the buckets in the provider's settings, if any are
 * set. A caller's own credential is not restricted.
 */
export function fileRules({ settings, credential }: Pick<Call<VertexSettings>, 'settings' | 'credential'>): FileRules | undefined {
  if (isCallerCredential({ credential })) return undefined;
  return settings.storage_bucket === undefined && settings.media?.buckets === undefined ? undefined : providerFileRules(settings);
}

/**
 * Rules for images that Vertex AI stores: with the operator's credential only below `gateway/images/` in `storage_bucket`. A
 * caller's own credential is not restricted.
 */
export function outputRules(call: VertexCall): FileRules | undefined {
  if (isCallerCredential(call)) return undefined;
  return {
    check(uri, param) {
      const object = parseUri(uri);
      if (object?.bucket === bucketOf(call) && object.name.startsWith(imagesPrefix)) return;
      throw new GatewayError('not_allowed', {
        message: `This request cannot store images at "${uri.slice(0, 200)}".`,
        param,
        hint: `Use an address below "${imagesPrefix}" in the storage_bucket of the provider, or your own credential.`,
      });
    },
  };
}
