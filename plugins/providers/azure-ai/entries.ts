import type { CredentialSpec } from '#core/provider.ts';
import { type AzureDeployment, AzureEntries, type AzureType } from '../_azure/entries.ts';
import { type FoundryFormat, type FoundryUri, isAnthropicModel, isSingleModelHost, parseFoundryUri } from './foundry-uri.ts';
import type { FoundrySettings } from './settings.ts';

/** The address and format of one deployment. */
export type FoundryTarget = AzureDeployment<FoundrySettings, FoundryUri, FoundryFormat>;

export const azureAi: AzureType<FoundrySettings, FoundryUri, FoundryFormat> = {
  parse: parseFoundryUri,
  domain: 'services.ai.azure.com',
  configuredAddress: ({ custom_host: host, foundry_url: url }) => host ?? url,
  isSingleModel: isSingleModelHost,
  /**
   * The format of a deployment: its own setting, the path of its address, the family of its model; otherwise that of the provider, by its setting
   * or its path. Never guessed from other parts of an address.
   */
  apiOf(settings, { format, foundation_model: model }, uri, isRowAddress) {
    const explicit = format ?? (isRowAddress ? uri.format : undefined);
    if (explicit !== undefined) return explicit;
    if (model !== undefined && isAnthropicModel(model)) return 'messages';
    return settings.format ?? uri.format ?? 'inference';
  },
  signing: (settings, format) => (settings.key_as === 'bearer' ? 'bearer' : format),
};

export const entries = new AzureEntries(azureAi);

/**
 * The headers in which each format expects a key. The inference route uses one, its single-model hosts the other, and the official
 * library sends both. The messages API has its own.
 */
const keyHeaders: Readonly<Record<string, readonly string[]>> = {
  inference: ['api-key', 'authorization'],
  openai: ['api-key'],
  messages: ['x-api-key', 'api-key'],
  bearer: ['authorization'],
};

/** A token takes precedence over a key; only one of them is sent. `signing` is the format of the deployment. */
export const credential = (settings: FoundrySettings, key: string | undefined, signing = 'inference'): CredentialSpec =>
  entries.credential(settings, key, (secret) => ({ scheme: 'headers', names: keyHeaders[signing] ?? ['api-key'], secret }));
