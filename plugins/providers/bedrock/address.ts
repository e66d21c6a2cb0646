import { emptyBody, type EmptyBody, type JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call, Dropped, UpstreamRequest } from '#core/provider.ts';
import { joinAddress, type Base, baseOf, memoize, encodeSegment } from '../_shared/address.ts';
import { type BedrockSettings, defaultRegion, regionPattern } from './settings.ts';

/** A call of this provider. */
export type BedrockCall = Call<BedrockSettings>;

/** The bases of the model runtime and of the control plane, which lists the models. */
interface ServiceBases {
  readonly runtime: Base;
  readonly control: Base;
}

/** Host suffixes of the service by region prefix (AWS SDKs, partitions.json, `dnsSuffix`). */
const dnsSuffixes: readonly (readonly [start: string, suffix: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
];

const dnsSuffixOf = (region: string): string => dnsSuffixes.find(([start]) => region.startsWith(start))?.[1] ?? 'amazonaws.com';

export const stsHost = (region: string): string => `sts.${region}.${dnsSuffixOf(region)}`;

/** Computed once per settings object. @throws GatewayError `invalid_config` */
const basesOf = memoize(({ custom_host: host, region = defaultRegion, fips }: BedrockSettings): ServiceBases => {
  if (host !== undefined) {
    const base = baseOf(host);
    return { runtime: base, control: base };
  }
  if (!new RegExp(regionPattern).test(region)) {
    throw new GatewayError('invalid_config', {
      message: `"${region.slice(0, 40)}" is not a region of AWS.`,
      param: 'aws-region',
      hint: 'Write it like us-east-1.',
    });
  }
  const hostSuffix = `${fips === true ? '-fips' : ''}.${region}.${dnsSuffixOf(region)}`;
  return {
    runtime: { origin: `https://bedrock-runtime${hostSuffix}`, path: '' },
    control: { origin: `https://bedrock${hostSuffix}`, path: '' },
  };
});

/** The parts that differ between requests. */
interface ModelRequestOptions {
  readonly body?: JsonBody | EmptyBody;
  readonly headers?: HeaderPairs;
  readonly dropped?: readonly Dropped[];
  /** True if the response is an event stream in binary frames. */
  readonly isStream?: boolean;
}

/** Builds a request to a model. The id is one segment of the path, whatever characters it contains. */
export function modelRequest(
  call: BedrockCall,
  model: string,
  action: string,
  { body, headers = [], dropped = [], isStream }: ModelRequestOptions,
): UpstreamRequest {
  requireCredential(call);
  const address = joinAddress(basesOf(call.settings).runtime, `model/${encodeSegment(model)}/${action}`, '');
  const accept = isStream === true ? 'application/vnd.amazon.eventstream' : 'application/json';
  return {
    ...address,
    method: 'POST',
    headers: ['accept', accept, 'content-type', 'application/json', ...headers],
    body: body ?? emptyBody,
    dropped,
  };
}

/** Builds a request for the models of the region, which the control plane lists. */
export function modelListRequest(call: BedrockCall): UpstreamRequest {
  requireCredential(call);
  return {
    ...joinAddress(basesOf(call.settings).control, 'foundation-models', ''),
    method: 'GET',
    headers: ['accept', 'application/json'],
    body: emptyBody,
    dropped: [],
  };
}

/** Rejects a request without a credential. The operator's own host may need none. */
function requireCredential(call: BedrockCall): void {
  if (call.credential !== 'none' || call.settings.custom_host !== undefined) return;
  throw new GatewayError('missing_credential', {
    message: 'Bedrock needs an access key or an API key, but neither the provider nor the request has one.',
    param: 'authorization',
    hint: 'Set access_key_id and secret_access_key, api_key or auth for the provider; or send x-gateway-aws-access-key-id and x-gateway-aws-secret-access-key.',
  });
}
