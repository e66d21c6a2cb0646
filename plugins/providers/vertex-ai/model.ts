import { GatewayError } from '#core/error.ts';

/** The API of the service that a model uses. */
export type VertexModel =
  | { readonly kind: 'gemini'; readonly name: string }
  | { readonly kind: 'tuned'; readonly id: string }
  | { readonly kind: 'anthropic'; readonly name: string }
  | { readonly kind: 'mistral'; readonly name: string }
  /** Open models on one OpenAI-compatible route; the body contains publisher and model. */
  | { readonly kind: 'open'; readonly model: string }
  | { readonly kind: 'endpoint'; readonly id: string };

/**
 * Prefixes before the first dot that name a publisher. Names of Gemini contain dots themselves, so any other prefix is part of the
 * name.
 */
const publisherKinds: Readonly<Record<string, 'gemini' | 'anthropic' | 'mistral' | 'endpoint' | 'open'>> = {
  google: 'gemini',
  vendora: 'anthropic',
  anthropic: 'anthropic',
  mistralai: 'mistral',
  endpoints: 'endpoint',
  vendorb: 'open',
  meta: 'open',
  'deepseek-ai': 'open',
  qwen: 'open',
  openai: 'open',
  moonshotai: 'open',
  minimaxai: 'open',
  'zai-org': 'open',
  xai: 'open',
};

/** One path segment, regardless of decoding: no slash, no escape, no `..`. `@` precedes a version. */
const segmentName = /^[A-Za-z0-9](?:[A-Za-z0-9_@-]|\.(?!\.))*$/;
const endpointId = /^[A-Za-z0-9][A-Za-z0-9-]{0,127}$/;

/**
 * Classifies a model name. `isTuned`: endpoints are tuned Gemini models.
 *
 * @throws GatewayError `model_not_found` for names that could change the structure of the path
 */
export function modelFor(model: string, isTuned: boolean): VertexModel {
  const dot = model.indexOf('.');
  const prefix = dot < 0 ? '' : model.slice(0, dot).toLowerCase();
  const kind = Object.hasOwn(publisherKinds, prefix) ? publisherKinds[prefix] : undefined;
  const name = kind === undefined ? model : model.slice(dot + 1);
  if (kind === 'endpoint') {
    if (!endpointId.test(name)) throw badName(model, 'an endpoint id of letters, digits and hyphens');
    return isTuned ? { kind: 'tuned', id: name } : { kind: 'endpoint', id: name };
  }
  if (!segmentName.test(name)) throw badName(model, 'a model name of letters, digits, ".", "_", "-" and "@"');
  if (kind === 'open') return { kind, model: `${prefix === 'vendorb' ? 'meta' : prefix}/${name}` };
  return { kind: kind ?? 'gemini', name };
}

const badName = (model: string, expected: string): GatewayError =>
  new GatewayError('model_not_found', {
    message: model === '' ? 'The request names no model.' : `"${model.slice(0, 100)}" is not ${expected}.`,
    param: 'model',
    hint: dotHint(model),
  });

/** Clients of the service's own OpenAI route write the publisher before a slash. */
function dotHint(model: string): string | undefined {
  const [, publisher = '', name = ''] = /^(?:publishers\/)?([^/]+)\/(?:models\/)?([^/]{1,100})$/.exec(model) ?? [];
  return Object.hasOwn(publisherKinds, publisher.toLowerCase())
    ? `Write a dot between publisher and model: "${publisher}.${name}".`
    : undefined;
}
