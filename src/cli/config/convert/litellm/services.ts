/** How a service of LiteLLM is called here. */
export interface Service {
  readonly type: string;
  /** Parts that LiteLLM writes before the model to choose a route or an API. */
  readonly prefix?: RegExp;
  /** LiteLLM's parameter → our setting; secrets have their own list. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Variables that LiteLLM reads if a secret is not set: our setting → variable. */
  readonly secretVariables?: Readonly<Record<string, string>>;
  /** The same for settings that are not secret. */
  readonly settingVariables?: Readonly<Record<string, string>>;
  /** What differs if no secret is set. */
  readonly remark?: string;
  /** Added to `api_base`, which LiteLLM writes without it. */
  readonly basePath?: string;
  /** The address has the name of a resource of Azure. */
  readonly isAzure?: true;
  /** Providers of the type have a display name. */
  readonly isNamed?: true;
  /** Each model is a deployment that is listed below `deployments`. */
  readonly hasDeployments?: true;
}

const aws = {
  settings: { aws_region_name: 'region' },
  secrets: {
    aws_access_key_id: 'access_key_id',
    aws_secret_access_key: 'secret_access_key',
    aws_session_token: 'session_token',
    api_key: 'api_key',
  },
  settingVariables: { region: 'AWS_REGION_NAME' },
  secretVariables: { access_key_id: 'AWS_ACCESS_KEY_ID', secret_access_key: 'AWS_SECRET_ACCESS_KEY' },
} as const;
const bedrock: Service = {
  type: 'bedrock',
  ...aws,
  isNamed: true,
  prefix: /^(?:converse|invoke|converse_like)\//,
  remark: 'keys are read from two variables; for a role of the machine use auth (docs/providers/bedrock.md)',
};
const vertex: Service = {
  type: 'vertex-ai',
  settings: { vertex_project: 'project', vertex_location: 'region' },
  secrets: { vertex_credentials: 'service_account' },
  remark: 'the identity of the machine needs the package google-auth-library',
  settingVariables: { project: 'VERTEXAI_PROJECT', region: 'VERTEXAI_LOCATION' },
};
const openai: Service = { type: 'openai', prefix: /^(?:responses|chat)\//, settings: { organization: 'organization' } };

/** Services whose name or parameters differ. All others have the name of a provider type or of its alias. */
export const services: Readonly<Record<string, Service>> = {
  openai,
  custom_openai: openai,
  openai_like: openai,
  'text-completion-openai': openai,
  anthropic: { type: 'anthropic', basePath: '/v1' },
  azure: {
    type: 'azure-openai',
    prefix: /^(?:o_series|gpt5_series|responses)\//,
    settings: { api_version: 'api_version' },
    secretVariables: { api_key: 'AZURE_API_KEY' },
    settingVariables: { custom_host: 'AZURE_API_BASE', api_version: 'AZURE_API_VERSION' },
    basePath: '/openai',
    isAzure: true,
    isNamed: true,
    hasDeployments: true,
  },
  azure_ai: {
    type: 'azure-ai',
    settings: { api_version: 'api_version' },
    secretVariables: { api_key: 'AZURE_AI_API_KEY' },
    settingVariables: { custom_host: 'AZURE_AI_API_BASE' },
    isAzure: true,
    isNamed: true,
  },
  bedrock,
  bedrock_converse: bedrock,
  vertex_ai: vertex,
  vertex_ai_beta: vertex,
  together_ai: { type: 'together' },
  fireworks_ai: { type: 'fireworks' },
  nvidia_nim: { type: 'nvidia' },
  hosted_vllm: { type: 'vllm' },
  lm_studio: { type: 'lm-studio' },
  ollama: { type: 'ollama', basePath: '/v1' },
  ollama_chat: { type: 'ollama', basePath: '/v1' },
};

/** Services of models without a prefix, as LiteLLM infers them. */
export const inferred: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|chatgpt-|o[134](?:-|$)|text-embedding-|tts-|whisper-|dall-e-)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'vertex_ai'],
];

/** Model names of OpenAI, under which its deployments on Azure are often listed. */
export const isOpenAiModel = (name: string): boolean => inferred[0]?.[0].test(name) === true;
