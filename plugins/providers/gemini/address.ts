import { GatewayError } from '#core/error.ts';
import type { Call } from '#core/provider.ts';
import { type Base, baseOf, memoize } from '../_shared/address.ts';
import type { GeminiSettings } from './settings.ts';

const versionPattern = /^v\d{1,2}(?:(?:alpha|beta)\d{0,2})?$/;
const modelNamePattern = /^[A-Za-z0-9](?:[A-Za-z0-9_@-]|\.(?!\.))*$/;

/**
 * Base URL with version, computed once per settings object. A custom host may contain the version. @throws GatewayError
 * `invalid_config`
 */
export const baseFor = memoize((settings: GeminiSettings): Base => {
  const version = settings.api_version ?? 'v1beta';
  if (!versionPattern.test(version)) {
    throw new GatewayError('invalid_config', {
      message: 'The API version cannot be used.',
      param: 'api_version',
      hint: 'Use v1beta or v1.',
    });
  }
  const { origin, path } = baseOf(settings.custom_host ?? 'https://generativelanguage.googleapis.com');
  return { origin, path: versionPattern.test(path.slice(path.lastIndexOf('/') + 1)) ? path : `${path}/${version}` };
});

/** Returns the bare name; clients also send `models/<name>` and `google.<name>`. @throws GatewayError `model_not_found` */
export function modelOf(call: Call<GeminiSettings>): string {
  const name = call.model.replace(/^(?:models\/|google\.)/i, '');
  if (modelNamePattern.test(name)) return name;
  throw new GatewayError('model_not_found', {
    message: name === '' ? 'The request names no model.' : `"${name.slice(0, 100)}" is not a model name of this service.`,
    param: 'model',
  });
}
