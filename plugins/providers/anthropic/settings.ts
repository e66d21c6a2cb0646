import type { JsonSchema } from '#core/json/schema.ts';
import type { CommonSettings, RequestSetting } from '#core/provider.ts';
import { defaultVersion } from '#formats/anthropic-messages/headers.ts';

export interface AnthropicSettings extends CommonSettings {
  /** Version of the API, sent as `anthropic-version`. */
  readonly version?: string;
  /** Beta features for every request, sent as `anthropic-beta`. */
  readonly beta?: string | readonly string[];
  /** Limit for chat completions without one. */
  readonly max_tokens?: number;
}

const betaFeature = { type: 'string', pattern: '^[ -~]+$' };

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    version: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      default: defaultVersion,
      description: 'Version of the API, sent as anthropic-version. A header of the client takes precedence.',
    },
    beta: {
      anyOf: [betaFeature, { type: 'array', items: betaFeature }],
      description: "Beta features for every request, sent as anthropic-beta together with the client's own.",
    },
    max_tokens: {
      type: 'integer',
      minimum: 1,
      default: 4096,
      description: 'Default of max_tokens for chat completions without it, because the API requires a limit.',
    },
  },
};

export const requestSettings: readonly RequestSetting[] = [
  { setting: 'version', headers: ['anthropic-version'], keys: ['anthropic_version', 'version'], shapesHost: false },
  { setting: 'beta', headers: ['vendor-beta', 'anthropic-beta'], keys: ['vendor_beta', 'anthropic_beta', 'beta'], shapesHost: false },
];
