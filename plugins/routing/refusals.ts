import type { Admitted, PromptFacts } from '#core/context.ts';
import { maskAddresses } from '#core/secrets/credential-names.ts';
import { knownPaths, methodsOf, traitsOf } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import { didYouMean } from '#core/text/nearest.ts';
import { restrictedHeaderIn } from '#core/model/request-settings.ts';
import { promptNotAllowed, usableProviders } from '#core/model/usable-names.ts';
import { headerNameAsSent, tailNameAsSent } from '#core/text/header-name-as-sent.ts';
import { shortList } from '#core/text/wording.ts';
import { slugHint } from './choice.ts';
import type { Leaf, ProviderBinding } from '#core/snapshot.ts';

/** Why a leaf may not be used. */
export type LeafRule = 'no-provider' | 'key-provider' | 'key-prompt' | 'model' | 'unusable' | 'host' | 'setting' | 'bound';

/** The first excluded leaf, kept as parts, because most walks find another leaf and need no error. */
export interface RefusedLeaf {
  readonly rule: LeafRule;
  readonly leaf: Leaf;
  readonly binding: ProviderBinding | undefined;
  /** Result of the rules `model` and `unusable`. */
  readonly fault: GatewayError | undefined;
}

/** The error if neither the request nor its config selects a provider. */
function noTarget(ctx: Admitted): GatewayError {
  const { endpoint, requestedModel, facts } = ctx;
  if (endpoint === 'relay') return unknownRoute(ctx);
  if (facts.prompt !== undefined) return promptWithoutTarget(ctx, facts.prompt);
  return new GatewayError('no_target', {
    message:
      requestedModel === ''
        ? 'The request names no provider.'
        : `The model "${requestedModel.slice(0, 100)}" names no provider.${slugSuggestion(ctx)}`,
    param: requestedModel === '' ? undefined : 'model',
    hint: `${hasModel(endpoint) ? 'Write the model as "@slug/model", or send x-gateway-provider or x-gateway-config.' : 'Send x-gateway-provider, x-gateway-virtual-key or x-gateway-config.'} ${slugHint(ctx)}`,
  });
}

/** True if the request could have named a provider in its body. */
function hasModel(endpoint: Admitted['endpoint']): boolean {
  const { body, modelByHeader } = traitsOf(endpoint);
  return body !== 'none' && modelByHeader !== true;
}

/**
 * Suggests how to write the model, at the end of the message, because client libraries print only the message. Other gateways
 * use `openai/gpt-4o`: the slug without `@`, or the type of a provider.
 */
function slugSuggestion({ requestedModel, snapshot, facts }: Admitted): string {
  const model = requestedModel.slice(0, 100);
  const slash = model.indexOf('/');
  const prefix = model.slice(0, Math.max(0, slash));
  const slugs = [...usableProviders(snapshot, facts.caller.key)];
  const suggestion = slugs.find((slug) => slug === prefix) ?? slugs.find((slug) => snapshot.providers.get(slug)?.provider.type === prefix);
  if (suggestion !== undefined) return ` Did you mean "@${suggestion}${model.slice(slash)}"?`;
  if (slugs.length === 0) return '';
  return ` Write "@slug/${model}" with one of these slugs: ${shortList(slugs, 5)}.`;
}

function promptWithoutTarget(ctx: Admitted, { used, requestedModel }: PromptFacts): GatewayError {
  return new GatewayError('no_target', {
    message: `Neither the request nor the prompt "${used.version.id}" names a provider.`,
    param: requestedModel === undefined ? undefined : 'model',
    hint: `Set "config" in the prompt, or write its model as "@slug/model"; or send x-gateway-provider or x-gateway-config. ${slugHint(ctx)}`,
  });
}

/** Most of these are a mistyped path or a wrong method, because a client that wants a relayed request names the provider. */
function unknownRoute(ctx: Admitted): GatewayError {
  const { method, path } = ctx;
  const methods = methodsOf(path);
  const isKnownPath = methods.length > 0 && !methods.includes(method);
  const suggestion = isKnownPath ? ` It accepts ${methods.join(', ')}.` : didYouMean(path, knownPaths);
  return new GatewayError(isKnownPath ? 'method_not_allowed' : 'no_target', {
    allow: isKnownPath ? methods : undefined,
    message: `There is no route ${method} "${maskAddresses(path).slice(0, 100)}", and the request names no provider to pass it through to.${suggestion}`,
    hint: `Correct the method or the path, or name the provider in x-gateway-provider. ${slugHint(ctx)}`,
  });
}

/** The error if no leaf of the config may be used: the rule that excluded the first one. */
export function leafError(ctx: Admitted, refused: RefusedLeaf | undefined): GatewayError {
  if (refused === undefined) return noTarget(ctx);
  const { rule, leaf, binding, fault } = refused;
  if (fault !== undefined) return fault;
  const slug = binding?.slug ?? '';
  const key = ctx.facts.caller.key?.name ?? '';
  switch (rule) {
    case 'no-provider':
    case 'model':
    case 'unusable':
      return noTarget(ctx);
    case 'key-provider':
      return notAllowed(
        // Not the provider behind it, which the request does not name.
        `Key "${key}" may not use ${binding?.virtualKey === undefined ? `provider "${slug}"` : `virtual key "${binding.virtualKey}"`}.`,
        'The rule is allow.providers of the key; direct mode is written as type:<type>.',
      );
    case 'key-prompt':
      return promptNotAllowed(key, leaf.prompt?.version.id ?? '');
    case 'bound':
      return notAllowed(
        `Key "${key}" is bound to config "${ctx.facts.config?.name ?? ''}", but the request sets the host, headers or account of the provider.`,
        'Remove x-gateway-custom-host, x-gateway-forward-headers and all provider settings from the request.',
      );
    case 'host':
      return notAllowed(
        `The credential of provider "${slug}" is not sent to a host that a request chose.`,
        `Send your own credential with the bare type in x-gateway-provider, or list the host in providers.${slug}.allow_custom_host.`,
        headerNameAsSent(ctx.headers, 'customHost'),
      );
    case 'setting': {
      const tail = binding === undefined ? undefined : restrictedHeaderIn(ctx.headers, binding.provider);
      const header = tail === undefined ? undefined : tailNameAsSent(ctx.headers, tail);
      return notAllowed(
        `The request sends ${header}, but the configuration of provider "${slug}" decides this.`,
        'Remove the header, or send your own credential with the bare type in x-gateway-provider.',
        header,
      );
    }
    default:
      return rule satisfies never;
  }
}

const notAllowed = (message: string, hint: string, param?: string): GatewayError =>
  new GatewayError('not_allowed', { message, hint, param });
