import { JsonBody, type EmptyBody } from '#core/json/body.ts';
import { isPlain, type Plain } from '#core/json/merge.ts';
import type { Call, Dropped, OldOperation, UpstreamRequest } from '#core/provider.ts';
import type { Base } from '../_shared/address.ts';
import type { GeminiOptions } from '#formats/google-generate/request/conversion.ts';
import { AudioFormats } from '#formats/google-generate/answer/audio.ts';
import { chatOfResponses, fromCountTokens, toCountTokens } from '#formats/google-generate/count-tokens.ts';
import { EmbeddingTap, fromEmbeddings, toDeveloperEmbedding } from '#formats/google-generate/embeddings.ts';
import { allTexts, ImageCalls, imageTap, paintedSoFar } from '#formats/google-generate/images/calls.ts';
import { toImages } from '#formats/google-generate/images/request.ts';
import { fromImages } from '#formats/google-generate/images/result.ts';
import { developerMedia } from '#formats/google-generate/request/media-needs.ts';
import { toGenerateContent } from '#formats/google-generate/request/index.ts';
import { fromGenerateContent } from '#formats/google-generate/answer/result.ts';
import { GenerateContentStream } from '#formats/google-generate/answer/stream.ts';
import { withRemembered } from '#formats/google-generate/answer/signature-memory.ts';
import { GeminiTap } from '#formats/google-generate/answer/tap.ts';
import { WholeTap } from '#formats/shared/json-tap.ts';
import { headersOf, methodAddress, modelOf } from './address.ts';
import type { GeminiSettings } from './settings.ts';

type Place = (settings: GeminiSettings) => Base;

/** Chat. */
export function chat(place: Place): OldOperation<GeminiSettings> {
  const sounds = new AudioFormats();
  return {
    media: (body) => developerMedia(body),
    request(body, call) {
      sounds.note(call, objectOf(body));
      const { body: out, dropped } = toGenerateContent(withRemembered(body, call), named(call), optionsOf(call.settings));
      return requestTo(place, call, { method: call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent', body: out, dropped });
    },
    tap: () => new GeminiTap(),
    result: (text, call, answer) => fromGenerateContent(text, { ...named(call), audioFormat: sounds.of(call) }, answer),
    stream: (call) => new GenerateContentStream({ ...named(call), audioFormat: sounds.of(call) }),
  };
}

/** Vectors. */
export function embeddings(place: Place): OldOperation<GeminiSettings> {
  // The wanted form stands in the request, the vectors come in the answer: remembered by the call that both belong to.
  const base64 = new WeakSet<object>();
  return {
    request(body, call) {
      const object = objectOf(body);
      if (object['encoding_format'] === 'base64') base64.add(call);
      return requestTo(place, call, toDeveloperEmbedding(object, modelOf(call)));
    },
    tap: () => new EmbeddingTap(),
    result: (text, call) => fromEmbeddings(text, call.model, base64.has(call)),
  };
}

/** Images. */
export function images(place: Place): OldOperation<GeminiSettings> {
  const orders = new ImageCalls();
  return {
    request(body, call) {
      const served = toImages(objectOf(body), modelOf(call), 'developer');
      return orders.first(call, requestTo(place, call, served), served.calls);
    },
    then: (replies, call) => orders.next(replies, call),
    recover: (replies, call) => fromImages(paintedSoFar(replies), call),
    tap: (call, earlier) => imageTap(modelOf(call), earlier),
    result: (text, call, _answer, earlier) => fromImages(allTexts(earlier, text), call),
  };
}

/** Counts the tokens of a responses request. */
export function countInputTokens(place: Place): OldOperation<GeminiSettings> {
  return {
    request(body, call) {
      const served = toGenerateContent(chatOfResponses(objectOf(body)), named(call), optionsOf(call.settings));
      const counted = toCountTokens(served.body, modelOf(call), 'developer');
      return requestTo(place, call, { method: 'countTokens', body: counted, dropped: served.dropped });
    },
    tap: () => new WholeTap(),
    result: (text) => fromCountTokens(text),
  };
}

interface Served {
  readonly method: string;
  readonly body: Plain;
  readonly dropped: readonly Dropped[];
}

function requestTo(place: Place, call: Call<GeminiSettings>, { method, body, dropped }: Served): UpstreamRequest {
  return {
    ...methodAddress(place(call.settings), call, method),
    method: call.method,
    headers: headersOf(call),
    body: JsonBody.of(body),
    dropped,
  };
}

const optionsOf = (settings: GeminiSettings): GeminiOptions => ({
  surface: 'developer',
  schemas: settings.schemas ?? 'converted',
  signatureStandIn: settings.signature_stand_in ?? true,
});

/** The call under the model's bare name, which tells its generation. */
function named(call: Call<GeminiSettings>): Pick<Call, 'model' | 'media' | 'strict' | 'showsReasoning' | 'id' | 'createdAt' | 'notes'> {
  const { media, strict, showsReasoning, id, createdAt, notes } = call;
  return { model: modelOf(call), media, strict, showsReasoning, id, createdAt, notes };
}

function objectOf(body: JsonBody | EmptyBody): Plain {
  const value: unknown = body.kind === 'json' ? body.json() : {};
  return isPlain(value) ? value : {};
}
