import type { Provider } from '../../../../core/provider.ts';
import { addressIn } from '../addresses.ts';
import type { Conversion } from '../conversion.ts';
import type { SourceSection } from '../section.ts';
import type { Service } from './services.ts';

const azureHost =
  /^https:\/\/([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.(openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)(?:\/|$)/i;
/** The host that a type makes of `resource_name`. */
const azureSuffix: Readonly<Record<string, string>> = { 'azure-openai': 'openai.azure.com', 'azure-ai': 'services.ai.azure.com' };

/** Endpoints of Azure that serve a single model. */
const singleModel = /^https:\/\/[^/]+\.(?:models\.ai|inference\.ml)\.azure\.com(?:\/|$)/i;

/** `resource_name` or an address; nothing for the address that the type has anyway. */
export function addressOf(params: SourceSection, service: Service, provider: Provider, conversion: Conversion): Record<string, string> {
  const key = params.entry('api_base') === undefined ? 'base_url' : 'api_base';
  const written = params.text(key);
  if (written === undefined || written.value.trim() === '') return {};
  const base = addressIn(written.value, params.pathOf(key), written.entry, conversion);
  if (base === undefined) return {};
  const [, resource, suffix] = azureHost.exec(base) ?? [];
  if (service.isAzure === true && resource !== undefined && suffix?.toLowerCase() === azureSuffix[service.type])
    return { resource_name: resource.toLowerCase() };
  if (service.type === 'azure-ai' && singleModel.test(base)) return { foundry_url: base };
  const { basePath = '' } = service;
  // LiteLLM calls an address of Azure as it is if it names a deployment.
  const isComplete = base.endsWith(basePath) || base.includes(`${basePath}/deployments/`);
  const address = isComplete ? base : `${base}${basePath}`;
  return address === provider.entry.service?.host ? {} : { custom_host: address };
}

/** Name of a provider, from what distinguishes it. */
export function providerSlug(type: string, address: Readonly<Record<string, string>>, settings: Readonly<Record<string, unknown>>): string {
  const host = address['custom_host'] ?? address['foundry_url'];
  const label =
    host !== undefined && URL.canParse(host)
      ? new URL(host).hostname.split('.').find((part) => /^[a-z]/.test(part) && part !== type && part !== 'api')
      : undefined;
  const region = settings['region'];
  const tail = address['resource_name'] ?? label ?? (typeof region === 'string' ? region : undefined) ?? 'main';
  return `${type}-${/^[a-z0-9-]{1,40}$/.test(tail) ? tail : 'main'}`;
}
