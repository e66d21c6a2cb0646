import type { Admitted } from '#core/context.ts';
import { traitsOf } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import { bareModel } from '#core/model-name.ts';
import { forbiddenByEntry, forbiddenByKey } from '#core/model-rules.ts';
import { spelled } from '#core/spelling.ts';
import { slugList } from './choice.ts';
import { hidesModels, modelAt, onlyPasses, type Refused } from './walk.ts';

/** The request says nowhere where it wants to go. */
export function noTarget(ctx: Admitted): GatewayError {
  return new GatewayError('no_target', {
    message: 'The request names no provider.',
    hint: `Write the model as "@slug/model", or send x-gateway-provider or x-gateway-config. ${slugList(ctx)}`,
  });
}

/** No leaf of the config may be used: the rule that shut out the first one. */
export function refusedBy(ctx: Admitted, refused: Refused | undefined): GatewayError {
  if (refused === undefined) return noTarget(ctx);
  const { rule, leaf, binding } = refused;
  const slug = binding?.slug ?? '';
  const key = ctx.facts.caller.key?.name ?? '';
  const model = hidesModels(ctx) ? '' : (modelAt(ctx, leaf) ?? bareModel(ctx.askedModel));
  switch (rule) {
    case 'no-provider':
      return noTarget(ctx);
    case 'key-provider':
      return notAllowed(
        `Key "${key}" may not use provider "${slug}".`,
        'The rule is allow.providers of the key; direct mode is written as type:<type>.',
      );
    case 'key-model':
      return model === '' || onlyPasses(ctx)
        ? notAllowed(`Key "${key}" is limited to certain models, and the request does not say its model.`, headerHint(ctx), 'model')
        : forbiddenByKey(key, model);
    case 'key-prompt':
      return notAllowed(`Key "${key}" may not use prompt "${leaf.prompt?.version.id ?? ''}".`, 'The rule is allow.prompts of the key.');
    case 'provider-model':
      return model === ''
        ? notAllowed(
            `Provider "${slug}" is limited to certain models, and what passes by ${ctx.path} does not show its own.`,
            'Send files to /v1/files, and batches to /v1/batches.',
          )
        : forbiddenByEntry(slug, model);
    case 'host':
      return notAllowed(
        `The credential of provider "${slug}" does not go to a host that a request chose.`,
        `Send a credential of your own with the bare type in x-gateway-provider, or list the host in providers.${slug}.allow_custom_host.`,
        spelled(ctx.headers, 'customHost'),
      );
    case 'setting':
      return notAllowed(
        `The request brings settings that shape the address, and provider "${slug}" has its own.`,
        'Leave them out, or send a credential of your own with the bare type in x-gateway-provider.',
      );
    default:
      return rule satisfies never;
  }
}

const headerHint = ({ endpoint }: Admitted): string =>
  `The rule is allow.models of the key.${traitsOf(endpoint).modelByHeader === true ? ' Name the model in x-gateway-provider-model.' : ''}`;

const notAllowed = (message: string, hint: string, param?: string): GatewayError =>
  new GatewayError('not_allowed', { message, hint, param });
