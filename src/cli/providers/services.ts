import type { Plain } from '../../core/json/merge.ts';
import type { Provider } from '../../core/provider.ts';
import type { Registry } from '../../gateway/types.ts';

/** A type, or a service that is an entry of one, as a command knows it by name. */
export interface Known {
  readonly name: string;
  readonly provider: Provider;
  /** What every entry of it has. */
  readonly settings: Plain;
  /** Where its users have its key; undefined: the name is made from the slug, or your own server needs none. */
  readonly keyVariable: string | undefined;
}

/** Services come first: those with the name of a type know its usual variable too. */
export function knownService(name: string, { providers, services = [] }: Registry): Known | undefined {
  const service = services.find((one) => one.name === name);
  const type = service?.type ?? name;
  const provider = providers.find((one) => one.type === type || one.aliases.includes(type));
  if (provider === undefined) return undefined;
  return {
    name: service?.name ?? provider.type,
    provider,
    settings: service?.host === undefined ? {} : { custom_host: service.host, ...service.settings },
    keyVariable: service?.keyVariable,
  };
}

export const serviceNames = ({ providers, services = [] }: Registry): readonly string[] => [
  ...new Set([...providers.map(({ type }) => type), ...services.map(({ name }) => name)]),
];
