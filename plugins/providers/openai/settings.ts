import type { JsonSchema } from '#core/json/schema.ts';
import type { CommonSettings, RequestSetting } from '#core/provider.ts';

export interface OpenAiSettings extends CommonSettings {
  readonly organization?: string;
  readonly project?: string;
}

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    organization: { type: 'string', minLength: 1, description: 'Organization id (org-…), sent as openai-organization.' },
    project: { type: 'string', minLength: 1, description: 'Project id (proj_…), sent as openai-project.' },
  },
};

export const requestSettings: readonly RequestSetting[] = [
  {
    setting: 'organization',
    headers: ['openai-organization'],
    keys: ['openai_organization', 'organization'],
    shapesHost: false,
    choosesPart: true,
  },
  { setting: 'project', headers: ['openai-project'], keys: ['openai_project', 'project'], shapesHost: false, choosesPart: true },
];
