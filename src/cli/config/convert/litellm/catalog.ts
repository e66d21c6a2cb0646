import type { Deployment } from './deployment.ts';

/** A deployment with its provider: `slug/model`. */
export interface AssignedDeployment extends Deployment {
  readonly slug: string;
  /** Model as targets name it: an alias where the provider lists its deployments. */
  readonly alias: string;
}

/** Gives each deployment its provider. Equal entries become one. */
export function assignProviders(
  deployments: readonly Deployment[],
  providers: Record<string, Record<string, unknown>>,
): readonly AssignedDeployment[] {
  const slugs = new Map<string, string>();
  return deployments.map((one) => {
    const key = JSON.stringify(one.provider);
    const slug = slugs.get(key) ?? freeName(one.slugBase, (name) => Object.hasOwn(providers, name));
    slugs.set(key, slug);
    providers[slug] ??= { ...one.provider, ...('name' in one.provider ? { name: slug } : {}) };
    return { ...one, slug, alias: one.row === undefined ? one.model : aliasIn(providers[slug], one) };
  });
}

/** Lists the deployment below its provider. Clients' name is the alias, unless another deployment has it. */
function aliasIn(provider: Record<string, unknown>, { group, model, row }: Deployment): string {
  const rows = (provider['deployments'] ??= {}) as Record<string, unknown>;
  const text = JSON.stringify(row);
  const isTaken = (name: string): boolean => Object.hasOwn(rows, name) && JSON.stringify(rows[name]) !== text;
  const offered = /^[\w.-]+$/.test(group) && !isTaken(group) ? group : freeName(model, isTaken);
  rows[offered] = row;
  return offered;
}

function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted;
  for (let n = 2; isTaken(name); n += 1) name = `${wanted}-${n}`;
  return name;
}
