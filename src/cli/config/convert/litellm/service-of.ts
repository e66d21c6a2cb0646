import type { Provider } from '../../../../core/provider.ts';
import type { Conversion } from '../conversion.ts';
import { inferred, type Service, services } from './services.ts';

interface ServiceMatch {
  readonly service: Service;
  readonly provider: Provider;
  /** The model without the names before it. */
  readonly model: string;
}

/** The service of a model such as `azure/gpt-4o-eu`, and the model as the service names it. */
export function serviceOf(
  written: string,
  custom: string | undefined,
  { providers }: Conversion,
): ServiceMatch | { readonly problem: string } {
  if (written.startsWith('os.environ/') || /\s/.test(written) || written === '') return { problem: 'its model is not the name of a model' };
  const cut = written.indexOf('/');
  const first = cut < 0 ? undefined : written.slice(0, cut);
  const known = (name: string | undefined): Omit<ServiceMatch, 'model'> | undefined => {
    if (name === undefined) return undefined;
    const service = Object.hasOwn(services, name) ? services[name] : undefined;
    const wanted = service?.type ?? name;
    const provider = providers.find(({ type, aliases }) => type === wanted || aliases.includes(wanted));
    return provider === undefined ? undefined : { service: service ?? { type: provider.type }, provider };
  };
  const byPrefix = known(first);
  const found = custom === undefined ? (byPrefix ?? known(inferred.find(([pattern]) => pattern.test(written))?.[1])) : known(custom);
  if (found === undefined)
    return {
      problem: 'no provider type has the name of its service; if it uses the OpenAI format, add a provider of type openai with custom_host',
    };
  const isPrefixed = byPrefix !== undefined && byPrefix.service.type === found.service.type;
  const rest = isPrefixed ? written.slice(cut + 1) : written;
  const model = found.service.prefix === undefined ? rest : rest.replace(found.service.prefix, '');
  return { ...found, model };
}
