import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import { type BodyPatch, JsonBody } from '#core/json/body.ts';
import { isJsonObject } from '#core/json/merge.ts';
import type { Dropped, Operation } from '#core/provider.ts';
import { betasOf } from '#formats/anthropic-messages/headers.ts';
import { withoutPlaceholders } from '#formats/anthropic-messages/placeholders.ts';
import { inlineFiles, nativeFileNeeds } from '#formats/anthropic-messages/native-files.ts';
import { InvokeTap } from '#formats/bedrock-converse/invoke.ts';
import { bareModel, familyOf } from '#formats/bedrock-converse/request/model.ts';
import { parseObject } from '#formats/shared/json.ts';
import { JsonTap } from '#formats/shared/response/json-tap.ts';
import { droppedNative } from '../_shared/anthropic-compatible.ts';
import { type BedrockCall, modelRequest } from './address.ts';
import type { BedrockSettings, GuardrailSettings } from './settings.ts';

/** The version in request bodies for this service. */
const bodyVersion = 'bedrock-2023-05-31';

/** Other models are available through chat completions. */
const isClaude = ({ model, foundationModel }: BedrockCall): boolean => familyOf(foundationModel ?? model).isClaude;

/**
 * The messages API for models of Anthropic, through InvokeModel. The bytes pass unchanged, except for members that Anthropic's own
 * API has in path and headers.
 */
export const messages: Operation<BedrockSettings> = {
  media: (body) => nativeFileNeeds(body),
  serves: isClaude,
  begin(body, call) {
    const action = call.stream ? 'invoke-with-response-stream' : 'invoke';
    const converted = body.kind === 'none' ? {} : nativeBody(body, call);
    const request = modelRequest(call, call.model, action, { headers: invokeHeaders(call), isStream: call.stream, ...converted });
    return { request, tap: new InvokeTap() };
  },
};

/** Counts the tokens of a messages request, which is sent as a whole in base64. The service does not accept cross-region profiles here. */
export const countTokens: Operation<BedrockSettings> = {
  isConverted: true,
  media: (body) => nativeFileNeeds(body),
  serves: isClaude,
  begin(body, call) {
    const model = bareModel(call.model) || call.model;
    const request = modelRequest(call, model, 'count-tokens', body.kind === 'none' ? {} : countBody(body, call));
    return { request, tap: new JsonTap(), result: toTokenCount };
  },
};

/** Returns the token count. @throws GatewayError `upstream_invalid` */
function toTokenCount(text: string): unknown {
  const tokens = parseObject(text)?.['inputTokens'];
  if (typeof tokens === 'number') return { input_tokens: tokens };
  throw new GatewayError('upstream_invalid', { message: "The provider's response contains no token count.", source: 'provider' });
}

interface ConvertedBody {
  readonly body: JsonBody;
  readonly dropped: readonly Dropped[];
}

function nativeBody(clientBody: JsonBody, call: BedrockCall): ConvertedBody {
  const body = withoutPlaceholders(clientBody);
  return { body: body.edit(nativePatch(body, call)), dropped: droppedNative(clientBody, body) };
}

function countBody(clientBody: JsonBody, call: BedrockCall): ConvertedBody {
  const body = withoutPlaceholders(clientBody);
  const thinking = body.value('thinking');
  const budget = isJsonObject(thinking) && typeof thinking['budget_tokens'] === 'number' ? thinking['budget_tokens'] : 0;
  // A model request must set a limit above its reasoning budget. A count request has no limit, so one is added.
  const patch = new Map([...nativePatch(body, call), ...(body.has('max_tokens') ? [] : [['max_tokens', budget + 1] as const])]);
  const sent = JsonBody.of({ input: { invokeModel: { body: body.edit(patch).bytes().toString('base64') } } });
  return { body: sent, dropped: droppedNative(clientBody, body) };
}

/** Removes model and streaming, which are in the path, and adds version and beta features, which Anthropic's own API has in headers. */
function nativePatch(body: JsonBody, call: BedrockCall): BodyPatch {
  const version = body.peek('anthropic_version');
  const betas = betasOf(call, body, call.settings.anthropic_beta);
  const patch = new Map<string, unknown>([
    ['anthropic_version', typeof version === 'string' && version.startsWith('bedrock-') ? version : bodyVersion],
    ...(betas.length === 0 ? [] : [['anthropic_beta', betas] as const]),
  ]);
  for (const name of ['model', 'stream', 'vendor_beta', 'labels']) if (body.has(name)) patch.set(name, undefined);
  if (call.media.size > 0) patch.set('messages', inlineFiles(body.exact('messages'), call.media));
  return patch;
}

/** Headers for settings that Converse has in its body. */
function invokeHeaders({ settings: { guardrail, latency } }: BedrockCall): HeaderPairs {
  const headers: HeaderPairs = [];
  if (guardrail !== undefined) headers.push(...guardrailHeaders(guardrail));
  if (latency !== undefined) headers.push('x-amzn-bedrock-performanceconfig-latency', latency);
  return headers;
}

function guardrailHeaders({ id, version, trace }: GuardrailSettings): HeaderPairs {
  const headers: HeaderPairs = ['x-amzn-bedrock-guardrailidentifier', id, 'x-amzn-bedrock-guardrailversion', version];
  if (trace !== undefined) headers.push('x-amzn-bedrock-trace', trace.toUpperCase());
  return headers;
}
