import { emptyBody, type JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import { isJsonObject } from '#core/json/merge.ts';
import type { MediaNeed } from '#core/provider.ts';
import { betasOf, headerFields } from '#formats/anthropic-messages/headers.ts';
import { inlineFiles, nativeFileNeeds } from '#formats/anthropic-messages/native-files.ts';
import { mediaNeeds } from '#formats/anthropic-messages/request/index.ts';
import { type AnthropicRoute, anthropicOperations } from '../_shared/anthropic-compatible.ts';
import { commonHeaders, modelAddress, type VertexCall } from './address.ts';
import { allowedObject, objectAddress, storageHeaders } from './files/storage.ts';
import { modelFor } from './model.ts';
import type { VertexSettings } from './settings.ts';

/** The version in request bodies for Vertex AI. */
export const bodyVersion = ({ anthropic_version: version }: VertexSettings): string => version ?? 'vertex-2023-10-16';

/**
 * Models of Anthropic: chats are converted. The messages API is passed through, except for the model, the version, and files
 * referenced by URL.
 */
export const anthropic = anthropicOperations<VertexSettings>({
  send(call, route, body, neededBetas) {
    const json = body.kind === 'json' ? body : undefined;
    const isCount = route === 'messages/count_tokens';
    const name = nameOf(call);
    // Token counting is one method for all models; the model is in the body.
    const method = call.stream && !isCount ? 'streamRawPredict' : 'rawPredict';
    const address = modelAddress(call, 'anthropic', isCount ? 'count-tokens' : name, method);
    const headers = headersOf(json, call, isCount ? undefined : json?.value('labels'), neededBetas);
    return { ...address, method: call.method, headers, body: json ?? emptyBody, dropped: [] };
  },
  options: ({ settings }) => ({ vertex: { version: bodyVersion(settings) }, handled: ['labels', ...headerFields] }),
  serves: (call) => anthropicModelName(call) !== undefined,
  modelOf: nameOf,
  media: {
    chat: (body, call) => withStorageAddress(body.kind === 'json' ? mediaNeeds(body.json(), 'vertex') : [], call),
    native: (body, call) => withStorageAddress(nativeFileNeeds(body), call),
  },
  editNative: (body, call, route) => nativePatch(body, call, route),
});

function nativePatch(body: JsonBody, call: VertexCall, route: AnthropicRoute): ReadonlyMap<string, unknown> {
  const patch = new Map<string, unknown>();
  if (route === 'messages') {
    const version = body.peek('anthropic_version');
    patch.set('model', undefined);
    patch.set('anthropic_version', typeof version === 'string' ? version : bodyVersion(call.settings));
  } else if (body.peek('model') !== nameOf(call)) patch.set('model', nameOf(call));
  // These are sent in headers.
  for (const name of ['labels', 'anthropic_beta', 'vendor_beta']) if (body.has(name)) patch.set(name, undefined);
  if (call.media.size > 0) patch.set('messages', inlineFiles(body.exact('messages'), call.media));
  return patch;
}

/**
 * The service reads no URLs, so the gateway reads files of object storage, with the credential of the request. @throws
 * GatewayError for files that are not allowed
 */
const withStorageAddress = (needs: readonly MediaNeed[], call: VertexCall): readonly MediaNeed[] =>
  needs.map((need) => {
    if (!/^gs:/i.test(need.url)) return need;
    const object = allowedObject(call, need.url, 'messages[].content[]');
    return { ...need, from: { ...objectAddress(call, object, '?alt=media'), headers: storageHeaders(call, '*/*') } };
  });

/** Beta features and labels are sent in headers, the API's version in the body. */
function headersOf(body: JsonBody | undefined, call: VertexCall, labels: unknown, neededBetas?: readonly string[]): HeaderPairs {
  const pairs = commonHeaders(call);
  const betas = betasOf(call, body, undefined, neededBetas);
  if (betas.length > 0) pairs.push('anthropic-beta', betas.join(','));
  if (isJsonObject(labels) && Object.keys(labels).length > 0) {
    pairs.push('x-vertex-ai-labels', Buffer.from(JSON.stringify(labels), 'utf8').toString('base64'));
  }
  return pairs;
}

/** Clients of the messages API may omit the prefix. No Gemini model's name begins with `claude`. */
function anthropicModelName({ model }: Pick<VertexCall, 'model'>): string | undefined {
  const found = modelFor(model, false);
  return found.kind === 'anthropic' || (found.kind === 'gemini' && found.name.startsWith('claude')) ? found.name : undefined;
}

function nameOf(call: VertexCall): string {
  const name = anthropicModelName(call);
  if (name !== undefined) return name;
  throw new GatewayError('unsupported_endpoint', {
    message: `The model "${call.model.slice(0, 100)}" does not support the messages API.`,
    hint: 'Use a model named anthropic.<name>, or /v1/chat/completions.',
  });
}
