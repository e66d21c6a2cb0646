import { emptyBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { OldOperation } from '#core/provider.ts';
import { type HistoryRules, mistralHistory, openaiHistory, openHistory } from '#formats/history/rules.ts';
import { JsonTap } from '#formats/shared/json-tap.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { callerHeaders, openaiCompatible } from '../_shared/openai-compatible.ts';
import { isSingle } from './foundry-uri.ts';
import { address, type FoundryCall, modelList, targetOf } from './routes.ts';
import { defaultExtraParameters, type FoundrySettings } from './settings.ts';

/**
 * What a resource of the foundry serves beside Anthropic's format. Files, batches and fine-tuning of the same resource
 * are served by the type azure-openai, which has one account for all of them.
 */
const served: ReadonlySet<string> = new Set<Endpoint>([
  'chat/completions',
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

const perRequest = ['idempotency-key', 'x-client-request-id', 'x-ms-client-request-id'] as const;

const all = openaiCompatible<FoundrySettings>({
  address,
  headers: openHeaders,
  extensions: () => 'drop',
  history: historyOf,
  bodyModel: (call) => targetOf(call).id ?? call.model,
});

/** Behind either route stand models of many vendors. */
function historyOf(call: FoundryCall): HistoryRules {
  const model = call.foundationModel ?? call.model;
  if (/mistral|ministral|codestral/i.test(model)) return mistralHistory;
  return targetOf(call).api === 'inference' || /deepseek|grok|kimi|qwen|glm|gpt-oss|phi/i.test(model) ? openHistory : openaiHistory;
}

/** The client's own format, on the OpenAI route or the inference route: its bytes pass, the model is written anew. */
export const openRoutes: { readonly [E in Endpoint]?: OldOperation<FoundrySettings> } = Object.fromEntries(
  Object.entries(all).filter(([endpoint]) => served.has(endpoint)),
);

/** Chat in the client's own format; it is always there. */
export function openChat(): OldOperation<FoundrySettings> {
  const chat = openRoutes['chat/completions'];
  if (chat === undefined) throw new GatewayError('internal', { message: 'The shared operations have no chat.' });
  return chat;
}

/** The inference route is told what to do about unknown fields; a managed endpoint, which of its deployments is meant. */
export function openHeaders(call: FoundryCall): HeaderPairs {
  const { api: format, uri, id } = targetOf(call);
  if (format !== 'inference') return callerHeaders(call, ['openai-beta', ...perRequest]);
  const { extra_parameters: extra, endpoint_name: endpoint } = call.settings;
  const headers: HeaderPairs = ['extra-parameters', extra ?? defaultExtraParameters];
  const deployment = uri.host === 'compute' ? (id ?? endpoint) : endpoint;
  if (deployment !== undefined) headers.push('azureml-model-deployment', nameable(deployment));
  return headers.concat(callerHeaders(call, perRequest));
}

/** The name may be the model of a request. @throws GatewayError `model_not_found` for what no header can hold */
function nameable(deployment: string): string {
  if (/^[\x21-\x7e]+$/.test(deployment)) return deployment;
  throw new GatewayError('model_not_found', { message: `No deployment is called "${deployment.slice(0, 100)}".`, param: 'model' });
}

/** Vectors of pictures: only the inference route has them. */
export const imageEmbeddings: OldOperation<FoundrySettings> = {
  request(body, call) {
    const headers: HeaderPairs = ['accept', 'application/json', ...openHeaders(call)];
    const target = { ...address(call, 'images/embeddings'), method: call.method, headers, dropped: [] };
    if (body.kind === 'none') return { ...target, body };
    headers.push('content-type', 'application/json');
    const model = targetOf(call).id ?? call.model;
    return { ...target, body: model === '' || body.peek('model') === model ? body : body.edit(new Map([['model', model]])) };
  },
  tap: () => new JsonTap(),
};

/** Base models of the resource as the service lists them; a host with a single model describes that one. */
export const models: OldOperation<FoundrySettings> = {
  request: (body, call) => ({
    ...modelList(call),
    method: call.method,
    headers: ['accept', 'application/json', ...openHeaders(call)],
    body: body.kind === 'none' ? body : emptyBody,
    dropped: [],
  }),
  converts: (call) => isSingle(targetOf(call).uri),
  tap: () => new JsonTap(),
  result(text, call) {
    const info = parseObject(text) ?? {};
    const id = textOf(info['model_name']) ?? call.model;
    const owner = textOf(info['model_provider_name']) ?? 'azure-ai';
    return { object: 'list', data: [{ id, object: 'model', created: 0, owned_by: owner }] };
  },
};
