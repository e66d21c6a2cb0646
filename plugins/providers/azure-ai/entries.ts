import type { CredentialSpec } from '#core/provider.ts';
import { type AzureDeployment, AzureEntries, type AzureType } from '../_azure/entries.ts';
import { type Format, type FoundryUri, isAnthropicModel, isSingle, parseFoundryUri } from './foundry-uri.ts';
import type { FoundrySettings } from './settings.ts';

/** The address and format of one deployment. */
export type Target = AzureDeployment<FoundrySettings, FoundryUri, Format>;

export const azureAi: AzureType<FoundrySettings, FoundryUri, Format> = {
  parse: parseFoundryUri,
  domain: 'services.ai.azure.com',
  written: ({ custom_host: host, foundry_url: url }) => host ?? url,
  isSingle,
  /**
   * The format of a deployment: its own setting, the path of its address, the family of its model; otherwise that of the provider, by its setting
   * or its path. Never guessed from other parts of an address.
   */
  apiOf(settings, { format, foundation_model: model }, uri, own) {
    const explicit = format ?? (own ? uri.format : undefined);
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
