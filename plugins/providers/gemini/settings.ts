import type { JsonSchema } from '#core/json/schema.ts';
import type { CommonSettings, RequestSetting } from '#core/provider.ts';
import { conversionProperties, type GeminiConversion } from '../_google/operations.ts';

export interface GeminiSettings extends CommonSettings, GeminiConversion {
  readonly api_version?: string;
}

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    api_version: { type: 'string', pattern: '^v\\d{1,2}((alpha|beta)\\d{0,2})?$', description: 'Version in the path: v1beta or v1.' },
    ...conversionProperties,
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
