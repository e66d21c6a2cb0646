import type { JsonBody } from '#core/json/body.ts';
import { isJsonObject } from '#core/json/merge.ts';
import { type Dropped, type Operation, Passing } from '#core/provider.ts';
import { historyOf, type HistoryRules, openHistory } from '#formats/history/rules.ts';
import { withFunctionsAsTools } from '#formats/openai-chat/legacy-calls.ts';
import type { ChatQuirk } from '#formats/openai-chat/quirks/quirk.ts';
import { openaiChat } from '../_shared/openai-compatible.ts';
import { mistralQuirks } from '../_shared/mistral.ts';
import { commonHeaders, endpointAddress, modelAddress } from './address.ts';
import { fileRules } from './files/storage.ts';
import { modelFor } from './model.ts';
import { checkOpenFiles } from './open-files.ts';
import type { VertexSettings } from './settings.ts';

/** Fields that single models reject: those of OpenAI's own platform, of its audio and search models. */
const platformFields = ['store', 'service_tier', 'prompt_cache_key', 'metadata', 'modalities', 'audio', 'web_search_options'] as const;

const operationFor = (history: HistoryRules, quirks?: readonly ChatQuirk[]): Operation<VertexSettings> =>
  openaiChat({
    address(call) {
      const model = modelFor(call.model, false);
      if (model.kind === 'mistral') return modelAddress(call, 'mistralai', model.name, call.stream ? 'streamRawPredict' : 'rawPredict');
      return endpointAddress(call, model.kind === 'endpoint' ? model.id : 'openapi', '/chat/completions');
    },
    extensions: () => 'drop',
    history: () => history,
    ...(quirks === undefined ? {} : { quirks }),
    bodyModel: () => undefined,
  });

/** Calls of earlier turns are sent as tool calls. */
const toolHistory: HistoryRules = { ...openHistory, refused: new Set([...openHistory.refused, 'function_call']) };

const openOperation = operationFor(toolHistory);
const mistralOperation = operationFor(historyOf(mistralQuirks), mistralQuirks);

/** Models of other vendors and self-deployed ones: the client's own format at another address. */
export const openChat: Operation<VertexSettings> = withFunctionsAsTools({
  ...(openOperation.media === undefined ? {} : { media: openOperation.media }),
  begin(body, call) {
    checkOpenFiles(body, fileRules(call));
    const cleaned = body.kind === 'json' ? withoutPlatformFields(body) : { body, dropped: [] };
    const operation = modelFor(call.model, false).kind === 'mistral' ? mistralOperation : openOperation;
    const { request, tap } = operation.begin(cleaned.body, call);
    const bodyWithModel = request.body.kind === 'json' ? request.body.edit(new Map([['model', bodyModel(call.model)]])) : request.body;
    return new Passing(
      { ...request, headers: commonHeaders(call), body: bodyWithModel, dropped: [...cleaned.dropped, ...request.dropped] },
      tap,
    );
  },
});

/** Returns publisher and name for open models. A self-deployed server has only one model and needs no name. */
function bodyModel(name: string): string {
  const model = modelFor(name, false);
  if (model.kind === 'open') return model.model;
  return model.kind === 'mistral' ? model.name : '';
}

/** Removes fields that single models reject, and maps roles and the token limit to the names that all of them accept. */
export function withoutPlatformFields(body: JsonBody): { readonly body: JsonBody; readonly dropped: readonly Dropped[] } {
  const patch = new Map<string, unknown>();
  const dropped: Dropped[] = [];
  for (const name of platformFields) {
    if (!body.has(name)) continue;
    patch.set(name, undefined);
    if (name !== 'modalities' || !isTextAlone(body.value(name))) dropped.push({ param: name, reason: 'not supported by this service' });
  }
  if (body.has('max_completion_tokens')) {
    const limit = body.value('max_completion_tokens') ?? body.value('max_tokens');
    patch.set('max_completion_tokens', undefined).set('max_tokens', limit);
    if (body.has('max_tokens') && body.value('max_tokens') !== limit)
      dropped.push({ param: 'max_tokens', reason: 'max_completion_tokens is sent instead' });
  }
  const messages = body.mentions('"developer"') ? body.exact('messages') : undefined;
  if (Array.isArray(messages)) {
    const renamed = (messages as unknown[]).map((one) =>
      isJsonObject(one) && one['role'] === 'developer' ? { ...one, role: 'system' } : one,
    );
    patch.set('messages', renamed);
  }
  return { body: body.edit(patch), dropped };
}

const isTextAlone = (modalities: unknown): boolean =>
  modalities === null || (Array.isArray(modalities) && modalities.every((one) => one === 'text'));
