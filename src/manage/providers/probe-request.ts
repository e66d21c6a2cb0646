import { emptyBody, JsonBody } from '../../core/json/body.ts';
import { endpoints, type Endpoint } from '../../core/endpoint.ts';
import type { Call, CommonSettings, Deployment, Probe, Translation } from '../../core/provider.ts';
import type { ProviderBinding } from '../../core/snapshot.ts';
import type { CatalogEntry } from './catalog-entry.ts';

/** A provider's request, with everything needed to send it. */
export interface ProviderRequest {
  readonly translation: Translation;
  readonly deployment: Deployment | undefined;
}

const noMedia = new Map<string, never>();

/** Creates a small request to a provider, with the same operations as regular traffic. @throws GatewayError if it cannot be created */
export function probeRequest(binding: ProviderBinding, probe: Pick<Probe, 'endpoint' | 'method' | 'model' | 'body'>): ProviderRequest {
  const operation = binding.provider.operations[probe.endpoint];
  if (operation === undefined) throw new Error(`this type does not serve ${probe.endpoint}`);
  const chosen = binding.provider.entry.deployment?.(binding.settings, probe.model);
  if (chosen instanceof Error) throw chosen;
  const call: Call<CommonSettings> = {
    endpoint: probe.endpoint,
    method: probe.method,
    settings: binding.settings,
    model: chosen?.model ?? probe.model,
    deployment: chosen?.settings,
    foundationModel: chosen?.foundationModel,
    strict: true,
    stream: false,
    includeUsage: false,
    params: {},
    query: '',
    header: () => undefined,
    form: undefined,
    credential: binding.credential(chosen).owner,
    media: noMedia,
    id: 'probe',
    createdAt: 0,
  };
  const body = probe.body === undefined ? emptyBody : JsonBody.of({ model: probe.model, ...probe.body });
  return { translation: operation.begin(body, call), deployment: chosen };
}

/** Endpoints whose requests go to the provider's host, in the order in which they are tried. */
const endpointsToTry: readonly Endpoint[] = ['models', 'chat/completions', 'messages'];

/** Returns the host of the provider's requests, without sending one; undefined as for `originOf`. */
export const hostOf = (one: CatalogEntry): string | undefined => originOf(one)?.host;

/**
 * Returns the address of the provider's requests, without sending one; undefined for a type that responds without a network, or
 * if unknown.
 */
export function originOf({ binding }: CatalogEntry): URL | undefined {
  const { provider, settings } = binding;
  const model = provider.entry.models?.(settings)[0]?.id ?? 'model';
  for (const endpoint of endpointsToTry) {
    const method = endpoints[endpoint].body === 'none' ? 'GET' : 'POST';
    try {
      const body = method === 'GET' ? {} : { body: { messages: [{ role: 'user', content: 'ping' }] } };
      const { translation } = probeRequest(binding, { endpoint, method, model: method === 'GET' ? '' : model, ...body });
      return translation.local === undefined ? new URL(translation.request.origin) : undefined;
    } catch {
      // It needs something that the configuration alone does not have; the next endpoint may not.
    }
  }
  return undefined;
}

/** Returns the models that clients can use: aliases of deployments, else the allow-list; empty if all models are allowed. */
export function modelsOf({ binding, entry }: CatalogEntry): readonly string[] {
  const listed = (binding.provider.entry.models?.(binding.settings) ?? []).map(({ id }) => id).filter((id) => binding.allowsModel(id));
  return listed.length > 0 ? listed : (entry.models ?? []);
}

/** Longest host name that is not shortened, in characters. */
const maxHostLength = 28;

/** Shortens a host name. Keeps both ends, which identify it best. */
export function shortHost(host: string): string {
  if (host.length <= maxHostLength) return host;
  const end = host
    .split('.')
    .slice(-2)
    .join('.')
    .slice(-maxHostLength / 2);
  return `${host.slice(0, maxHostLength - end.length - 1)}…${end}`;
}
