import type { Admitted, Choice } from '#core/context.ts';
import { traitsOf } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import { plainPath } from '#core/http/plain-path.ts';
import type { Branch, CompiledConfig, Leaf } from '#core/snapshot.ts';

/** Relayed routes below the defined ones, whose objects also belong to one account. */
const accountRoutes: readonly string[] = ['/v1/batches', '/v1/fine_tuning'];

/**
 * On those routes, a request without a virtual key is accepted only if its header or config selects exactly one provider.
 * @throws GatewayError `missing_virtual_key`
 */
export function requireAccount(ctx: Admitted, config: CompiledConfig, choice: Choice | undefined): void {
  if (ctx.facts.virtualKey !== undefined || !needsAccount(ctx)) return;
  const slugs = new Set<string>();
  collectSlugs(config.root, choice, slugs);
  if (slugs.size === 1) return;
  throw new GatewayError('missing_virtual_key', {
    message: `"${ctx.path}" belongs to one account, but the request ${slugs.size === 0 ? 'names none' : 'may go to several'}.`,
    param: 'x-gateway-virtual-key',
    // A config overrules the virtual key.
    hint: `Send x-gateway-virtual-key with a virtual key or a slug${slugs.size > 1 ? ', and no config' : ''}.`,
  });
}

/** The warning for configs whose weights or conditions are not used on routes with an object id. */
export function ignoredStrategy(config: CompiledConfig): string | undefined {
  if (!hasIgnoredStrategy(config.root)) return undefined;
  return `config "${config.name}": weights and conditions are not used on routes that name an object by id; targets are tried in the order in which they are written`;
}

function needsAccount({ endpoint, path }: Admitted): boolean {
  if (traitsOf(endpoint).account === true) return true;
  if (endpoint !== 'relay') return false;
  const plain = plainPath(path);
  return accountRoutes.some((route) => plain.startsWith(route) && (plain.length === route.length || plain[route.length] === '/'));
}

function collectSlugs(node: Branch | Leaf, choice: Choice | undefined, slugs: Set<string>): void {
  if (node.strategy !== 'leaf') {
    for (const target of node.targets) collectSlugs(target, choice, slugs);
    return;
  }
  const binding = node.provider ?? choice?.binding;
  if (binding !== undefined) slugs.add(binding.virtualKey ?? binding.slug);
}

function hasIgnoredStrategy(node: Branch | Leaf): boolean {
  if (node.strategy === 'leaf') return false;
  return node.strategy === 'loadbalance' || node.strategy === 'conditional' || node.targets.some(hasIgnoredStrategy);
}
