import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call, UpstreamAddress } from '#core/provider.ts';
import { memo } from '../_shared/address.ts';
import type { ModelForm } from './model-form.ts';
import { placeOf } from './places.ts';
import type { VertexSettings } from './settings.ts';

/** Addresses of the service's methods for one call. */
export interface Addresses {
  /** `publishers/<publisher>/models/<name>:<method>`. */
  model(call: Call<VertexSettings>, publisher: string, name: string, method: string): UpstreamAddress;
  /** `endpoints/<id><tail>`, where the tail begins with `:` or `/`. */
  endpoint(call: Call<VertexSettings>, id: string, tail: string): UpstreamAddress;
  /** `<tail>` below the project and location, as it is: its parts are encoded already. Express mode has no such place. */
  resource(call: Call<VertexSettings>, tail: string): UpstreamAddress;
}

/** Made where the provider is defined: places are worked out once for each settings object. */
export function addresses(): Addresses {
  const place = memo(placeOf);
  return {
    model(call, publisher, name, method) {
      const { origin, path } = place(call.settings);
      return { origin, path: `${path}/publishers/${publisher}/models/${encodedName(name)}:${method}` };
    },
    endpoint(call, id, tail) {
      const { origin, path, versioned } = place(call.settings);
      if (path === versioned) {
        throw new GatewayError('model_not_found', { message: 'Express mode serves models of the publisher google only.', param: 'model' });
      }
      return { origin, path: `${path}/endpoints/${encodeURIComponent(id)}${tail}` };
    },
    resource(call, tail) {
      const { origin, path, versioned } = place(call.settings);
      if (path === versioned) {
        throw new GatewayError('unsupported_endpoint', {
          message: 'Express mode has no project for files, batches or tuning jobs.',
          hint: 'Use a provider with project and region.',
        });
      }
      return { origin, path: `${path}/${tail}` };
    },
  };
}

/** One segment; the `@` before a model's version stays readable, as every client of the service writes it. */
const encodedName = (name: string): string => encodeURIComponent(name).replaceAll('%40', '@');

/** Where a Gemini model answers, tuned or not. */
export function geminiAddress(to: Addresses, call: Call<VertexSettings>, form: ModelForm, method: string): UpstreamAddress {
  if (form.kind === 'tuned') return to.endpoint(call, form.id, `:${method}`);
  return to.model(call, 'google', form.kind === 'gemini' ? form.name : '', method);
}

/** Headers of every request beside the credential. */
export function commonHeaders(call: Call<VertexSettings>): HeaderPairs {
  const pairs: HeaderPairs = ['accept', call.stream ? 'text/event-stream' : 'application/json', 'content-type', 'application/json'];
  if (call.settings.quota_project !== undefined) pairs.push('x-goog-user-project', call.settings.quota_project);
  return pairs;
}

/**
 * A request that nothing would sign is refused here, with words that say what is missing. A host of the operator's own
 * may want no credential.
 *
 * @throws GatewayError `missing_credential`
 */
export function requireCredential(call: Call<VertexSettings>, host: string | undefined): void {
  if (call.credential !== 'none' || host !== undefined) return;
  throw new GatewayError('missing_credential', {
    message: 'Vertex AI needs an access token, but neither the provider nor the request has a credential.',
    param: 'authorization',
    hint: 'Set service_account or ambient for the provider, or send "authorization: Bearer ACCESS_TOKEN".',
  });
}
