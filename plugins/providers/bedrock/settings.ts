import type { JsonSchema } from '#core/json/schema.ts';
import type { AuthMode, CommonSettings, RequestSetting } from '#core/provider.ts';
import { text } from '../_shared/settings-schema.ts';

/** One row of `deployments`, by the name that clients use. */
export interface BedrockDeploymentSettings {
  /** Id of a model or an inference profile, or an ARN. */
  readonly model_id: string;
  /** The model behind the inference profile of an application: nothing else shows its vendor. */
  readonly foundation_model?: string;
}

export interface GuardrailSettings {
  readonly id: string;
  readonly version: string;
  readonly trace?: 'enabled' | 'disabled' | 'enabled_full';
  readonly stream_processing_mode?: 'sync' | 'async';
}

export interface BedrockSettings extends CommonSettings {
  readonly region?: string;
  readonly fips?: boolean;
  readonly access_key_id?: string;
  readonly secret_access_key?: string;
  readonly session_token?: string;
  readonly auth_type?: string;
  readonly deployments?: Readonly<Record<string, BedrockDeploymentSettings>>;
  readonly guardrail?: GuardrailSettings;
  readonly latency?: 'standard' | 'optimized';
  readonly anthropic_beta?: string | readonly string[];
  readonly max_tokens?: number;
}

export const defaultRegion = 'us-east-1';

const betaFeature = { type: 'string', pattern: '^[ -~]+$' } as const;

/** The value becomes part of a host name. */
export const regionPattern = '^[a-z]{2,6}(?:-[a-z]+)+-\\d{1,2}$';

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    region: {
      ...text('Region of the service, such as us-east-1. It is part of the host and of each signature.'),
      pattern: regionPattern,
      'x-form': 'a region such as us-east-1',
      default: defaultRegion,
    },
    fips: { type: 'boolean', description: 'Uses the FIPS endpoint of the region.', default: false },
    access_key_id: { ...text('Id of an access key: with secret_access_key, requests are signed with it.'), 'x-credential': true },
    secret_access_key: { ...text('Secret of the access key.'), writeOnly: true },
    session_token: { ...text('Session token of temporary keys.'), writeOnly: true },
    auth_type: text('How a request with its own credential authenticates: apiKey or accessKey. In gateway.yaml: auth.'),
    deployments: {
      type: 'object',
      description: 'Models by the name that clients use: ids, inference profiles and ARNs. Other names are ids of models.',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['model_id'],
        properties: {
          model_id: text('Id of the model or inference profile, or its ARN.'),
          foundation_model: text('Model behind the ARN of an application inference profile, such as anthropic.claude-sonnet-4-6.'),
        },
      },
    },
    guardrail: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'version'],
      description: 'Guardrail for requests without one of their own.',
      properties: {
        id: text('Id or ARN of the guardrail.'),
        version: text('Its version: a number, or DRAFT.'),
        trace: { enum: ['enabled', 'disabled', 'enabled_full'], description: 'Whether responses contain the findings of the guardrail.' },
        stream_processing_mode: { enum: ['sync', 'async'], description: 'async: streams are not delayed while the guardrail checks them.' },
      },
    },
    latency: { enum: ['standard', 'optimized'], description: 'Latency of the models that have an optimized one.' },
    anthropic_beta: {
      anyOf: [betaFeature, { type: 'array', items: betaFeature }],
      description: "Beta features for every request to Anthropic's models, together with the client's own.",
    },
    max_tokens: { type: 'integer', minimum: 1, description: "Limit for chat completions that set none. Default: the model's own." },
  },
};

/** Authentication modes that use a role of the machine. */
export const authModes = {
  web_identity: {
    aliases: ['irsa'],
    about: 'keys of a role, for the token that the cluster keeps in a file',
    properties: {
      role_arn: { ...text('ARN of the role. Default: AWS_ROLE_ARN.'), examples: ['arn:aws:iam::123456789012:role/gateway'] },
      token_file: text('File with the token. Default: AWS_WEB_IDENTITY_TOKEN_FILE.'),
      session_name: text('Name of the session in the logs of AWS. Default: AWS_ROLE_SESSION_NAME, else llm-gateway.'),
      sts_endpoint: text("Base URL of the token service. Default: AWS_ENDPOINT_URL_STS, else the region's."),
    },
    required: [],
    ambient: true,
  },
  container: {
    aliases: ['pod_identity', 'ecs'],
    about: 'keys of the role of an ECS task or an EKS pod',
    properties: {},
    required: [],
    ambient: true,
  },
  instance: {
    aliases: ['instance_profile'],
    about: 'keys of the role of an EC2 instance',
    properties: { role: text("Name of the role. Default: the instance's own.") },
    required: [],
    ambient: true,
  },
} as const satisfies Readonly<Record<string, AuthMode>>;

/** Values of other gateways that request the machine's identity, or a role that only the machine can assume. */
const ambientModes: readonly string[] = ['assumedRole', ...Object.entries(authModes).flatMap(([mode, { aliases }]) => [mode, ...aliases])];

const requestSetting = (name: string, more: Partial<RequestSetting> = {}): RequestSetting => ({
  setting: name,
  headers: [`aws-${name.replaceAll('_', '-')}`],
  keys: [`aws_${name}`, name],
  shapesHost: false,
  ...more,
});

/** Settings that a request can set without a provider in the configuration. The machine's own identity is not included. */
export const requestSettings: readonly RequestSetting[] = [
  requestSetting('region', { shapesHost: true }),
  requestSetting('access_key_id'),
  requestSetting('secret_access_key'),
  requestSetting('session_token'),
  requestSetting('auth_type', { ambient: ambientModes }),
  requestSetting('anthropic_beta', { headers: ['anthropic-beta', 'vendor-beta'], keys: ['anthropic_beta', 'vendor_beta'] }),
];
