import { defineProvider, type Probe } from '#core/provider.ts';
import { bedrockFault } from '#formats/bedrock-converse/fault.ts';
import { chat } from './chat.ts';
import { credential } from './credential.ts';
import { check, deployment, models } from './deployments.ts';
import { embeddings } from './embeddings.ts';
import { countTokens, messages } from './messages.ts';
import { modelList } from './models.ts';
import { authModes, type BedrockSettings, requestSettings, schema } from './settings.ts';

/** Listing the models is free and is signed in the same way as model calls. */
const probes: readonly Probe[] = [
  {
    endpoint: 'models',
    method: 'GET',
    model: '',
    proves: 'credential',
    fixes: {
      400: 'check the access key: its id is not known, or its session token is missing',
      403: 'check the keys and the time of the machine, and allow bedrock:ListFoundationModels and bedrock:InvokeModel',
    },
  },
];

/** Amazon Bedrock: models of all vendors through Converse, Anthropic's also through InvokeModel. */
export default defineProvider<BedrockSettings>({
  type: 'bedrock',
  aliases: ['aws-bedrock'],
  entry: {
    prices: { list: 'aws' },
    telemetryName: 'aws.bedrock',
    settings: schema,
    requestSettings,
    // These headers are part of a signature, or choose a guardrail of the account. With the operator's keys, only the provider's
    // settings can set them.
    accountHeaders: ['x-amz-date', 'x-amz-security-token', 'x-amzn-bedrock-guardrailidentifier', 'x-amzn-bedrock-guardrailversion'],
    apiKey: 'required',
    keySetting: 'secret_access_key',
    authModes,
    check,
    deployment,
    models,
    credential,
    probe: () => probes,
  },
  operations: { 'chat/completions': chat, messages, 'messages/count_tokens': countTokens, embeddings, models: modelList },
  fault: bedrockFault,
});
