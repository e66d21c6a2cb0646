import type { JsonObject } from '../../../core/json/merge.ts';
import type { Provider } from '../../../core/provider.ts';
import type { BindingParts } from './binding.ts';

const always = (): boolean => true;
const empty = Object.freeze({});

/** Parts of a provider used without the catalog: the request supplies all settings and the credential. */
export function directParts(provider: Provider, settings: JsonObject, key: string | undefined): BindingParts {
  return {
    slug: provider.type,
    virtualKey: undefined,
    limits: undefined,
    provider,
    settings,
    key,
    credentialPath: '',
    owner: 'caller',
    trust: 'request',
    allowsHost: always,
    allowsModel: always,
    models: Object.freeze([]),
    timeouts: empty,
    isolate: false,
    metadata: empty,
    unusable: undefined,
  };
}
