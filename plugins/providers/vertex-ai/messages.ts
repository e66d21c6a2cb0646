import { emptyBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { Call, OldOperation } from '#core/provider.ts';
import { inlined, nativeNeeds } from '#formats/anthropic-messages/native-files.ts';
import { withoutMarks } from '#formats/anthropic-messages/marks.ts';
import { MessagesTap } from '#formats/anthropic-messages/answer/tap.ts';
import { JsonTap } from '#formats/shared/json-tap.ts';
import type { Addresses } from './address.ts';
import { anthropicHeaders, bodyVersion, placed } from './anthropic-chat.ts';
import type { Storage } from './files/storage.ts';
import { formOf } from './model-form.ts';
import type { VertexSettings } from './settings.ts';

/** The messages API for models of Anthropic: bytes pass, but for the model, the version, and files named by address. */
export function messages(to: Addresses, store: Storage): OldOperation<VertexSettings> {
  return {
    serves,
    media: (body, call) => placed(nativeNeeds(body), call, store),
    request(given, call) {
      const body = given.kind === 'json' ? withoutMarks(given) : given;
      const address = to.model(call, 'anthropic', nameOf(call), call.stream ? 'streamRawPredict' : 'rawPredict');
      if (body.kind === 'none')
        return { ...address, method: call.method, headers: anthropicHeaders(undefined, call, undefined), body: emptyBody, dropped: [] };
      const version = body.peek('anthropic_version');
      const patch = new Map<string, unknown>([
        ['model', undefined],
        ['anthropic_version', typeof version === 'string' ? version : bodyVersion(call.settings)],
      ]);
      // Both travel in headers.
      for (const name of ['labels', 'anthropic_beta', 'vendor_beta']) if (body.has(name)) patch.set(name, undefined);
      if (call.media.size > 0) patch.set('messages', inlined(body.value('messages'), call.media));
      return {
        ...address,
        method: call.method,
        headers: anthropicHeaders(body, call, body.value('labels')),
        body: body.edit(patch),
        dropped: [],
      };
    },
    tap: () => new MessagesTap(),
  };
}

/** Token counting: a place of its own for all models, and the model in the body. */
export function countMessageTokens(to: Addresses, store: Storage): OldOperation<VertexSettings> {
  return {
    serves,
    media: (body, call) => placed(nativeNeeds(body), call, store),
    request(given, call) {
      const body = given.kind === 'json' ? withoutMarks(given) : given;
      const model = nameOf(call);
      const address = to.model(call, 'anthropic', 'count-tokens', 'rawPredict');
      if (body.kind === 'none')
        return { ...address, method: call.method, headers: anthropicHeaders(undefined, call, undefined), body: emptyBody, dropped: [] };
      const patch = new Map<string, unknown>(body.peek('model') === model ? [] : [['model', model]]);
      for (const name of ['labels', 'anthropic_beta', 'vendor_beta']) if (body.has(name)) patch.set(name, undefined);
      if (call.media.size > 0) patch.set('messages', inlined(body.value('messages'), call.media));
      return { ...address, method: call.method, headers: anthropicHeaders(body, call, undefined), body: body.edit(patch), dropped: [] };
    },
    tap: () => new JsonTap(),
  };
}

/** Clients of this API don't know the prefix: names of Gemini's models begin otherwise. */
function serves({ model }: Call<VertexSettings>): boolean {
  const form = formOf(model, false);
  return form.kind === 'anthropic' || (form.kind === 'gemini' && form.name.startsWith('claude'));
}

function nameOf(call: Call<VertexSettings>): string {
  const form = formOf(call.model, false);
  if (form.kind === 'anthropic') return form.name;
  // Clients of this API don't know the prefix.
  if (form.kind === 'gemini' && form.name.startsWith('claude')) return form.name;
  throw new GatewayError('unsupported_endpoint', {
    message: `The model "${call.model.slice(0, 100)}" does not support the messages API.`,
    hint: 'Use a model named anthropic.<name>, or /v1/chat/completions.',
  });
}
