import { emptyBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Operation } from '#core/provider.ts';
import { dropLabels } from '#formats/openai-chat/extensions.ts';
import { type HistoryRules, mistralHistory, openaiHistory, openHistory } from '#formats/history/rules.ts';
import { JsonTap } from '#formats/shared/response/json-tap.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { callerHeaders } from '#formats/shared/request/caller-headers.ts';
import { mistralOrder } from '../_shared/mistral.ts';
import { openaiChat, openaiCompatible } from '../_shared/openai-compatible.ts';
import type { OpenAiCompatible } from '../_shared/openai-service.ts';
import { isSingleModelHost } from './foundry-uri.ts';
import { address, type FoundryCall, modelListAddress, targetOf } from './routes.ts';
import { defaultExtraParameters, type FoundrySettings } from './settings.ts';

/**
 * Endpoints of a Foundry resource, other than those of Anthropic's format. The type azure-openai provides files, batches and
 * fine-tuning of the same resource.
 */
const supportedEndpoints: ReadonlySet<string> = new Set<Endpoint>([
  'completions',
  'embeddings',
  'images/generations',
  'images/edits',
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
  'responses',
  'responses/{id}',
  'responses/{id}/cancel',
  'responses/{id}/input_items',
]);

const forwardedHeaders = ['idempotency-key', 'x-client-request-id', 'x-ms-client-request-id'] as const;

const ofMistral = /mistral|ministral|codestral/i;

const service: OpenAiCompatible<FoundrySettings> = {
  address,
  headers: openaiHeaders,
  extensions: () => 'drop',
  history: historyOf,
  quirks: [
    // Of Mistral's own rules only these: the service itself reads the other parameters.
    { ...mistralOrder, renames: { max_completion_tokens: 'max_tokens' }, models: ofMistral },
    // The asynchronous content filter reports in chunks of its own.
    { omitsDeltas: true },
  ],
  bodyModel: (call) => targetOf(call).id ?? call.model,
};

/** Both routes have models of many vendors. */
function historyOf(call: FoundryCall): HistoryRules {
  const model = call.foundationModel ?? call.model;
  if (ofMistral.test(model)) return mistralHistory;
  return targetOf(call).api === 'inference' || /deepseek|grok|kimi|qwen|glm|gpt-oss|phi/i.test(model) ? openHistory : openaiHistory;
}

/** The client's own format, on the OpenAI route or the inference route: the bytes pass unchanged, except for the model. */
export const openaiRoutes: { readonly [E in Endpoint]?: Operation<FoundrySettings> } = Object.fromEntries(
  Object.entries(openaiCompatible(service)).filter(([endpoint]) => supportedEndpoints.has(endpoint)),
);

export const openaiChatOperation = openaiChat(service);

/** Adds headers: for the inference route, how to handle unknown fields; for a managed endpoint, the deployment. */
export function openaiHeaders(call: FoundryCall): HeaderPairs {
  const { api: format, uri, id } = targetOf(call);
  if (format !== 'inference') return callerHeaders(call, ['openai-beta', ...forwardedHeaders]);
  const { extra_parameters: extra, endpoint_name: endpoint } = call.settings;
  const headers: HeaderPairs = ['extra-parameters', extra ?? defaultExtraParameters];
  const deployment = uri.host === 'compute' ? (id ?? endpoint) : endpoint;
  if (deployment !== undefined) headers.push('azureml-model-deployment', checkedHeaderValue(deployment));
  return headers.concat(callerHeaders(call, forwardedHeaders));
}

/** Checks the name, which may be the model of a request. @throws GatewayError `model_not_found` if it cannot be a header value */
function checkedHeaderValue(deployment: string): string {
  if (/^[\x21-\x7e]+$/.test(deployment)) return deployment;
  throw new GatewayError('model_not_found', { message: `No deployment is called "${deployment.slice(0, 100)}".`, param: 'model' });
}

/** Image embeddings: only the inference route has them. */
export const imageEmbeddings: Operation<FoundrySettings> = {
  begin(body, call) {
    const headers: HeaderPairs = ['accept', 'application/json', ...openaiHeaders(call)];
    const target = { ...address(call, 'images/embeddings'), method: call.method, headers };
    if (body.kind === 'none') return { request: { ...target, body, dropped: [] }, tap: new JsonTap() };
    headers.push('content-type', 'application/json');
    const deploymentName = targetOf(call).id ?? call.model;
    const { body: withoutLabels, dropped } = dropLabels(body);
    const named =
      deploymentName === '' || withoutLabels.peek('model') === deploymentName
        ? withoutLabels
        : withoutLabels.edit(new Map([['model', deploymentName]]));
    return { request: { ...target, body: named, dropped }, tap: new JsonTap() };
  },
};

/** Lists the base models of the resource as the service does. A host with a single model describes that model. */
export const models: Operation<FoundrySettings> = {
  isConverted: true,
  begin(_body, call) {
    const headers: HeaderPairs = ['accept', 'application/json', ...openaiHeaders(call)];
    const request = { ...modelListAddress(call), method: call.method, headers, body: emptyBody, dropped: [] };
    const tap = new JsonTap();
    return isSingleModelHost(targetOf(call).uri) ? { request, tap, result: (text) => listOfOne(text, call) } : { request, tap };
  },
};

function listOfOne(text: string, call: FoundryCall): unknown {
  const info = parseObject(text) ?? {};
  const id = textOf(info['model_name']) ?? call.model;
  const owner = textOf(info['model_provider_name']) ?? 'azure-ai';
  return { object: 'list', data: [{ id, object: 'model', created: 0, owned_by: owner }] };
}
