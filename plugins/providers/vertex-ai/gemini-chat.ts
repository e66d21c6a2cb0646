import { emptyBody, JsonBody } from '#core/json/body.ts';
import { isPlain, type Plain } from '#core/json/merge.ts';
import type { Call, OldOperation } from '#core/provider.ts';
import { AudioFormats } from '#formats/google-generate/answer/audio.ts';
import type { FileRules, GeminiOptions } from '#formats/google-generate/request/conversion.ts';
import { toGenerateContent } from '#formats/google-generate/request/index.ts';
import { fromGenerateContent } from '#formats/google-generate/answer/result.ts';
import { GenerateContentStream } from '#formats/google-generate/answer/stream.ts';
import { withRemembered } from '#formats/google-generate/answer/signature-memory.ts';
import { GeminiTap } from '#formats/google-generate/answer/tap.ts';
import { type Addresses, commonHeaders, geminiAddress } from './address.ts';
import { fileRules } from './files/rules.ts';
import { formOf } from './model-form.ts';
import type { VertexSettings } from './settings.ts';

/** What an entry says about conversion. */
export const optionsOf = (settings: VertexSettings, files: FileRules | undefined): GeminiOptions => ({
  files,
  surface: 'vertex',
  schemas: settings.schemas ?? 'converted',
  signatureStandIn: settings.signature_stand_in ?? true,
});

/** Chat with models of Gemini. */
export function geminiChat(to: Addresses): OldOperation<VertexSettings> {
  const sounds = new AudioFormats();
  return {
    request(body, call) {
      sounds.note(call, objectOf(body));
      const form = formOf(call.model, call.settings.endpoint_format === 'generateContent');
      const known = withRemembered(body, call);
      const served = toGenerateContent(known, named(call), optionsOf(call.settings, fileRules(call)));
      const method = call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      return {
        ...geminiAddress(to, call, form, method),
        method: call.method,
        headers: commonHeaders(call),
        body: JsonBody.of(served.body),
        dropped: served.dropped,
      };
    },
    tap: () => new GeminiTap(),
    result: (text, call, answer) => fromGenerateContent(text, { ...named(call), audioFormat: sounds.of(call) }, answer),
    stream: (call) => new GenerateContentStream({ ...named(call), audioFormat: sounds.of(call) }),
  };
}

/** The call under the model's bare name, which tells its generation. */
export function named(
  call: Call<VertexSettings>,
): Pick<Call, 'model' | 'media' | 'strict' | 'showsReasoning' | 'id' | 'createdAt' | 'notes'> {
  const { media, strict, showsReasoning, id, createdAt, notes } = call;
  return { model: call.foundationModel ?? call.model.replace(/^google\./i, ''), media, strict, showsReasoning, id, createdAt, notes };
}

/** The object of a body; an empty one where a route without a body is asked. */
export const objectOf = (body: JsonBody | typeof emptyBody): Plain => {
  const value: unknown = body.kind === 'json' ? body.json() : {};
  return isPlain(value) ? value : {};
};
