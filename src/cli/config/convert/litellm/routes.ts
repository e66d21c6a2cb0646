import { escaped } from '../variables.ts';
import type { AssignedDeployment } from './catalog.ts';
import type { RouterSettings } from './settings.ts';

type ConvertedTarget = string | Record<string, unknown>;

/** Deployments by the name that clients use. */
export type Groups = ReadonlyMap<string, readonly AssignedDeployment[]>;

/** Name that means every model without a group of its own. */
export const everyModel = '*';

/** The config that chooses the deployments by the model of the request. */
export function modelsConfig(groups: Groups, settings: RouterSettings): Record<string, unknown> {
  const names = [...groups.keys()];
  const conditions = [...names.filter((name) => name !== everyModel).map((name) => [name, name]), ...settings.aliases].map(
    ([name = '', then = '']) => ({ query: { 'params.model': escaped(name) }, then: escaped(then) }),
  );
  const base = {
    ...(settings.retries === undefined ? {} : { retry: { attempts: settings.retries } }),
    ...(settings.timeout === undefined ? {} : { request_timeout: settings.timeout }),
    ...(settings.cache === undefined ? {} : { cache: settings.cache }),
  };
  const circuit = settings.circuit === undefined ? {} : { cb_config: settings.circuit };
  const all = groups.get(everyModel);
  if (conditions.length === 0 && all !== undefined)
    return { ...base, strategy: { mode: 'loadbalance', ...circuit }, targets: all.map(targetOf) };
  return {
    ...base,
    strategy: {
      mode: 'conditional',
      conditions,
      ...(all === undefined ? {} : { default: everyModel }),
      ...circuit,
    },
    targets: names.map((name) => route(name, groups, settings)),
  };
}

/** The target of one name: its deployments, then those of its fallbacks. */
function route(name: string, groups: Groups, { fallbacks }: RouterSettings): Record<string, unknown> {
  const next = (fallbacks.get(name) ?? []).map((other) => balancedTarget(groups.get(other) ?? []));
  const own = balancedTarget(groups.get(name) ?? [], next.length > 0);
  if (next.length > 0) return { name: escaped(name), strategy: { mode: 'fallback' }, targets: [own, ...next] };
  return { name: escaped(name), ...(own as Record<string, unknown>) };
}

/** Spreads requests over the deployments of one name. @param isShort a single target may be written as text */
function balancedTarget(deployments: readonly AssignedDeployment[], isShort = true): ConvertedTarget {
  const [first] = deployments;
  if (first !== undefined && deployments.length === 1) {
    // A weight has no effect on a single target.
    const only = { ...first, weight: undefined };
    return isShort ? targetOf(only) : mappingOf(only);
  }
  return { strategy: { mode: 'loadbalance' }, targets: deployments.map(targetOf) };
}

function targetOf(deployment: AssignedDeployment): ConvertedTarget {
  const { slug, alias, weight, target } = deployment;
  if (weight !== undefined || Object.keys(target).length > 0) return mappingOf(deployment);
  return alias === everyModel ? { provider: slug } : `${slug}/${alias}`;
}

function mappingOf({ slug, alias, weight, target }: AssignedDeployment): Record<string, unknown> {
  const { override_params: more, ...rest } = target;
  const params = { ...(alias === everyModel ? {} : { model: alias }), ...(more as object | undefined) };
  return {
    provider: slug,
    ...(weight === undefined ? {} : { weight }),
    ...structuredClone(rest),
    ...(Object.keys(params).length === 0 ? {} : { override_params: params }),
  };
}
