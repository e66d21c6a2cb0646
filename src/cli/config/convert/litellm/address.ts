import { keyVariable } from '../../../../config/edit/new-entry.ts';
import type { Provider } from '../../../../core/provider.ts';
import type { Variables } from '../variables.ts';
import type { Service } from './services.ts';

const azureHost =
  /^https:\/\/([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.(openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)(?:\/|$)/i;
/** The host that a type makes of `resource_name`. */
const azureSuffix: Readonly<Record<string, string>> = { 'azure-openai': 'openai.azure.com', 'azure-ai': 'services.ai.azure.com' };

/** `resource_name` or `custom_host`; nothing for the address that the type has anyway. */
export function addressOf(written: string | undefined, service: Service, provider: Provider, variables: Variables): Record<string, string> {
  const base = written?.trim().replace(/\/+$/, '');
  if (base === undefined || base === '') return {};
  const [, resource, suffix] = azureHost.exec(base) ?? [];
  if (service.isAzure === true && resource !== undefined && suffix?.toLowerCase() === azureSuffix[service.type])
    return { resource_name: resource.toLowerCase() };
  const isVariable = base.startsWith('os.environ/');
  const path = service.basePath ?? '';
  const whole = isVariable || base.endsWith(path) ? base : `${base}${path}`;
  if (whole === provider.entry.service?.host) return {};
  const host = variables.address(whole, keyVariable(service.type, 'address'));
  return { custom_host: isVariable ? `${host}${path}` : host };
}

/** Name of a provider, from what distinguishes it. */
export function providerSlug(type: string, address: Readonly<Record<string, string>>, settings: Readonly<Record<string, unknown>>): string {
  const host = address['custom_host'];
  const label =
    host !== undefined && URL.canParse(host)
      ? new URL(host).hostname.split('.').find((part) => /^[a-z]/.test(part) && part !== type && part !== 'api')
      : undefined;
  const region = settings['region'];
  const tail = address['resource_name'] ?? label ?? (typeof region === 'string' ? region : undefined) ?? 'main';
  return `${type}-${/^[a-z0-9-]{1,40}$/.test(tail) ? tail : 'main'}`;
}
