import { JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { Plain } from '#core/json/merge.ts';
import type { Call, Dropped, OldOperation, UpstreamRequest } from '#core/provider.ts';
import { chatOfResponses, fromCountTokens, toCountTokens } from '#formats/google-generate/count-tokens.ts';
import { EmbeddingTap, fromEmbeddings, toVertexEmbedding } from '#formats/google-generate/embeddings.ts';
import { allTexts, ImageCalls, imageTap, paintedSoFar } from '#formats/google-generate/images/calls.ts';
import { toImages } from '#formats/google-generate/images/request.ts';
import { fromImages } from '#formats/google-generate/images/result.ts';
import { toGenerateContent } from '#formats/google-generate/request/index.ts';
import { WholeTap } from '#formats/shared/json-tap.ts';
import { type Addresses, commonHeaders, geminiAddress } from './address.ts';
import { fileRules } from './files/rules.ts';
import { named, objectOf, optionsOf } from './gemini-chat.ts';
import { formOf, type ModelForm } from './model-form.ts';
import type { VertexSettings } from './settings.ts';

/** Vectors. */
export function embeddings(to: Addresses): OldOperation<VertexSettings> {
  // The wanted form stands in the request, the vectors come in the answer: remembered by the call that both belong to.
  const base64 = new WeakSet<object>();
  return {
    request(body, call) {
      const form = googleForm(call);
      const object = objectOf(body);
      if (object['encoding_format'] === 'base64') base64.add(call);
      const { method, body: out, dropped } = toVertexEmbedding(object, nameOf(form), fileRules(call));
      return requestTo(to, call, { form, method, body: out, dropped });
    },
    tap: () => new EmbeddingTap(),
    result: (text, call) => fromEmbeddings(text, call.model, base64.has(call)),
  };
}

/** Images, by the models' own method or by a chat that paints. */
export function images(to: Addresses): OldOperation<VertexSettings> {
  const orders = new ImageCalls();
  return {
    request(body, call) {
      const form = googleForm(call);
      const { method, body: out, dropped, calls } = toImages(objectOf(body), nameOf(form), 'vertex');
      return orders.first(call, requestTo(to, call, { form, method, body: out, dropped }), calls);
    },
    then: (replies, call) => orders.next(replies, call),
    recover: (replies, call) => fromImages(paintedSoFar(replies), call),
    tap: (call, earlier) => imageTap(nameOf(googleForm(call)), earlier),
    result: (text, call, _answer, earlier) => fromImages(allTexts(earlier, text), call),
  };
}

/** Counts the tokens of a responses request. */
export function countInputTokens(to: Addresses): OldOperation<VertexSettings> {
  return {
    serves: (call) => ['gemini', 'tuned'].includes(formOf(call.model, call.settings.endpoint_format === 'generateContent').kind),
    request(body, call) {
      const form = googleForm(call);
      const chat = toGenerateContent(chatOfResponses(objectOf(body)), named(call), optionsOf(call.settings, fileRules(call)));
      const counted = toCountTokens(chat.body, nameOf(form), 'vertex');
      return requestTo(to, call, { form, method: 'countTokens', body: counted, dropped: chat.dropped });
    },
    tap: () => new WholeTap(),
    result: (text) => fromCountTokens(text),
  };
}

interface GoogleRequest {
  readonly form: ModelForm;
  readonly method: string;
  readonly body: Plain;
  readonly dropped: readonly Dropped[];
}

function requestTo(to: Addresses, call: Call<VertexSettings>, { form, method, body, dropped }: GoogleRequest): UpstreamRequest {
  return {
    ...geminiAddress(to, call, form, method),
    method: call.method,
    headers: commonHeaders(call),
    body: JsonBody.of(body),
    dropped,
  };
}

/** Models of the service's own maker. @throws GatewayError `unsupported_endpoint` for all others */
function googleForm(call: Call<VertexSettings>): ModelForm {
  const form = formOf(call.model, call.settings.endpoint_format === 'generateContent');
  if (form.kind === 'gemini' || form.kind === 'tuned') return form;
  throw new GatewayError('unsupported_endpoint', {
    message: `The model "${call.model.slice(0, 100)}" does not serve this route.`,
    hint: 'Use a model of the publisher google here.',
  });
}

const nameOf = (form: ModelForm): string => (form.kind === 'gemini' ? form.name : '');
