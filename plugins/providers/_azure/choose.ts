import { GatewayError } from '#core/error.ts';
import type { Deployment } from '#core/provider.ts';

/** The deployments of an entry, as far as choosing one needs them. */
export interface Choices {
  readonly aliases: ReadonlyMap<string, Deployment>;
  /** Names that `/models` lists. */
  readonly listed: readonly string[];
  /** Where the entry itself is, or why nobody knows. */
  readonly base: object | GatewayError;
}

/**
 * The deployment for a model name that is no alias of an entry without a default. With a list: none, but for routes
 * without a model, which the only deployment serves. Without a list: the name itself.
 */
export function unlisted(
  { aliases, listed, base }: Choices,
  model: string,
  direct: (model: string | undefined) => Deployment,
): Deployment | GatewayError {
  const [only, ...more] = aliases.values();
  if (model === '' && only !== undefined && (more.length === 0 || base instanceof GatewayError)) return only;
  if (model !== '' && only !== undefined) return notFound(model, listed);
  return base instanceof GatewayError ? base : direct(model === '' ? undefined : model);
}

function notFound(model: string, aliases: readonly string[]): GatewayError {
  return new GatewayError('model_not_found', {
    message: `No deployment is called "${model}".`,
    param: 'model',
    known: { asked: model, noun: 'Deployments', names: aliases },
  });
}

/** An entry, or a request, that says too little or something unusable about where it goes. */
export function unusable(why: string | undefined): GatewayError {
  const message = why === undefined ? 'The request names no Azure resource.' : `The resource or custom host cannot be used: ${why}.`;
  const hint = 'Set resource_name, or x-gateway-cloud-resource-name, to the first label of the host.';
  return new GatewayError('invalid_config', { message, param: 'resource_name', hint });
}
