import type { JsonBody } from '#core/json/body.ts';
import { isJsonObject } from '#core/json/merge.ts';
import { type Dropped, type Operation, Passing } from '#core/provider.ts';
import { mistralHistory, openHistory } from '#formats/history/rules.ts';
import { openaiChat } from '../_shared/openai-compatible.ts';
import { commonHeaders, endpointAddress, modelAddress } from './address.ts';
import { fileRules } from './files/storage.ts';
import { modelFor } from './model.ts';
import { checkOpenFiles } from './open-files.ts';
import type { VertexSettings } from './settings.ts';

/** Fields of OpenAI's own platform, which single models reject. */
const platformFields = ['store', 'service_tier', 'prompt_cache_key', 'metadata'] as const;

const openaiOperation = openaiChat<VertexSettings>({
  address(call) {
    const model = modelFor(call.model, false);
    if (model.kind === 'mistral') return modelAddress(call, 'mistralai', model.name, call.stream ? 'streamRawPredict' : 'rawPredict');
    return endpointAddress(call, model.kind === 'endpoint' ? model.id : 'openapi', '/chat/completions');
  },
  extensions: () => 'drop',
  history: (call) => (modelFor(call.model, false).kind === 'mistral' ? mistralHistory : openHistory),
  bodyModel: () => undefined,
});

/** Models of other vendors and self-deployed ones: the client's own format at another address. */
export const openChat: Operation<VertexSettings> = {
  ...(openaiOperation.media === undefined ? {} : { media: openaiOperation.media }),
  begin(body, call) {
    checkOpenFiles(body, fileRules(call));
    const cleaned = body.kind === 'json' ? withoutPlatformFields(body) : { body, dropped: [] };
    const { request, tap } = openaiOperation.begin(cleaned.body, call);
    const bodyWithModel = request.body.kind === 'json' ? request.body.edit(new Map([['model', bodyModel(call.model)]])) : request.body;
    return new Passing(
      { ...request, headers: commonHeaders(call), body: bodyWithModel, dropped: [...cleaned.dropped, ...request.dropped] },
      tap,
    );
  },
};

/** Returns publisher and name for open models. A self-deployed server has only one model and needs no name. */
function bodyModel(name: string): string {
  const model = modelFor(name, false);
  if (model.kind === 'open') return model.model;
  return model.kind === 'mistral' ? model.name : '';
}

/** Removes fields that single models reject, and maps roles to those that all of them accept. */
export function withoutPlatformFields(body: JsonBody): { readonly body: JsonBody; readonly dropped: readonly Dropped[] } {
  const patch = new Map<string, unknown>();
  for (const name of platformFields) if (body.has(name)) patch.set(name, undefined);
  const dropped = [...patch.keys()].map((param) => ({ param, reason: 'not supported by this service' }));
  const messages = body.mentions('"developer"') ? body.exact('messages') : undefined;
  if (Array.isArray(messages)) {
    const renamed = (messages as unknown[]).map((one) =>
      isJsonObject(one) && one['role'] === 'developer' ? { ...one, role: 'system' } : one,
    );
    patch.set('messages', renamed);
  }
  return { body: body.edit(patch), dropped };
}
