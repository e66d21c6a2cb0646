import type { JsonBody } from '#core/json/body.ts';
import { isPlain } from '#core/json/merge.ts';
import type { Dropped, OldOperation } from '#core/provider.ts';
import { mistralHistory, openHistory } from '#formats/history/rules.ts';
import { openaiCompatible } from '../_shared/openai-compatible.ts';
import { type Addresses, commonHeaders } from './address.ts';
import { formOf } from './model-form.ts';
import type { VertexSettings } from './settings.ts';

/** Fields of OpenAI's own platform, which single models refuse. */
const platformFields = ['store', 'service_tier', 'prompt_cache_key', 'metadata'] as const;

/** Models of other vendors and self-deployed ones: the client's own format behind another address. */
export function openChat(to: Addresses): OldOperation<VertexSettings> {
  const chat = openaiCompatible<VertexSettings>({
    address(call) {
      const form = formOf(call.model, false);
      if (form.kind === 'mistral') return to.model(call, 'mistralai', form.name, call.stream ? 'streamRawPredict' : 'rawPredict');
      return to.endpoint(call, form.kind === 'endpoint' ? form.id : 'openapi', '/chat/completions');
    },
    extensions: () => 'drop',
    history: (call) => (formOf(call.model, false).kind === 'mistral' ? mistralHistory : openHistory),
    bodyModel: () => undefined,
  })['chat/completions'];
  if (chat === undefined) throw new Error('The shared operations have no chat.');
  return {
    tap: chat.tap,
    ...(chat.media === undefined ? {} : { media: chat.media }),
    converts: () => false,
    request(body, call) {
      const cleaned = body.kind === 'json' ? withoutPlatform(body) : { body, dropped: [] };
      const request = chat.request(cleaned.body, call);
      const named = request.body.kind === 'json' ? request.body.edit(new Map([['model', bodyModel(call.model)]])) : request.body;
      return { ...request, headers: commonHeaders(call), body: named, dropped: [...cleaned.dropped, ...request.dropped] };
    },
  };
}

/** Publisher and name for open models; a self-deployed server knows its one model by itself. */
function bodyModel(model: string): string {
  const form = formOf(model, false);
  if (form.kind === 'open') return form.model;
  return form.kind === 'mistral' ? form.name : '';
}

function withoutPlatform(body: JsonBody): { readonly body: JsonBody; readonly dropped: readonly Dropped[] } {
  const patch = new Map<string, unknown>();
  for (const name of platformFields) if (body.has(name)) patch.set(name, undefined);
  const dropped = [...patch.keys()].map((param) => ({ param, reason: 'not supported by this service' }));
  const messages = body.mentions('"developer"') ? body.value('messages') : undefined;
  if (Array.isArray(messages)) {
    const renamed = (messages as unknown[]).map((one) => (isPlain(one) && one['role'] === 'developer' ? { ...one, role: 'system' } : one));
    patch.set('messages', renamed);
  }
  return { body: body.edit(patch), dropped };
}
