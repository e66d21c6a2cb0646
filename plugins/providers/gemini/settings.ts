import type { JsonSchema } from '#core/json/schema.ts';
import type { CommonSettings, RequestSetting } from '#core/provider.ts';
import type { GeminiConversion } from '../_google/operations.ts';

export interface GeminiSettings extends CommonSettings, GeminiConversion {
  readonly api_version?: string;
}

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    api_version: { type: 'string', pattern: '^v\\d{1,2}((alpha|beta)\\d{0,2})?$', description: 'Version in the path: v1beta or v1.' },
    schemas: {
      enum: ['converted', 'original'],
      description: "JSON Schemas: converted to the service's subset, or sent as the client wrote them.",
    },
    signature_stand_in: {
      type: 'boolean',
      description: 'Function calls without their thought signature get the documented placeholder.',
      default: true,
    },
  },
};

export const requestSettings: readonly RequestSetting[] = [
  {
    setting: 'api_version',
    headers: ['gemini-api-version'],
    keys: ['gemini_api_version', 'api_version'],
    shapesHost: false,
    choosesPart: true,
  },
];
