import type { FromSchema } from 'json-schema-to-ts';
import type { providerCommon, virtualKey } from './catalog.ts';
import type { auth, gatewayKey } from './keys.ts';
import type { logging } from './logging.ts';
import type { observability } from './settings/observability.ts';
import type { pluginEntries } from './plugins.ts';
import type { pricing } from './settings/pricing.ts';
import type { prompt, promptVersion } from './prompts.ts';
import type { server } from './server/index.ts';
import type { timeouts } from './shared.ts';
import type { targetSettings } from './target.ts';

/** Types as written: keys with a default are optional. */
type AsWritten = { keepDefaultedPropertiesOptional: true };

/** An entry of `providers:`, with the settings of its type next to the common keys. */
export type ProviderConfig = FromSchema<typeof providerCommon, AsWritten>;
export type VirtualKeyEntry = FromSchema<typeof virtualKey, AsWritten>;
export type GatewayKeyEntry = FromSchema<typeof gatewayKey, AsWritten>;
/** The value of `auth:`. */
export type AuthEntry = FromSchema<typeof auth, AsWritten>;
export type ServerEntry = FromSchema<typeof server, AsWritten>;
/** The value of `server.admin`. */
export type AdminEntry = NonNullable<ServerEntry['admin']>;
export type LoggingEntry = FromSchema<typeof logging, AsWritten>;
export type ObservabilityEntry = FromSchema<typeof observability, AsWritten>;
/** An entry of `prompts:`, and one of its versions. */
export type PromptEntry = FromSchema<typeof prompt, AsWritten>;
export type PromptVersionEntry = FromSchema<typeof promptVersion, AsWritten>;
/** An entry of `pricing:`. */
export type PriceEntry = FromSchema<typeof pricing, AsWritten>;
export type TimeoutsEntry = FromSchema<typeof timeouts, AsWritten>;
export type PluginEntry = FromSchema<typeof pluginEntries, AsWritten>[number];

/** A config object or one of its targets, in canonical spelling. Settings of direct mode are next to the other keys. */
export type ConfigEntry = FromSchema<typeof targetSettings, AsWritten> & { readonly targets?: readonly TargetEntry[] };
/** `slug/model`, or a mapping. */
export type TargetEntry = string | ConfigEntry;

/** `gateway.yaml` with its includes, validated and with references resolved. */
export interface GatewayConfig {
  readonly version: 1;
  readonly include?: string | readonly string[];
  readonly server?: ServerEntry;
  readonly providers?: Readonly<Record<string, ProviderConfig>>;
  readonly virtual_keys?: Readonly<Record<string, VirtualKeyEntry>>;
  readonly api_keys?: Readonly<Record<string, GatewayKeyEntry>>;
  readonly auth?: AuthEntry;
  readonly configs?: Readonly<Record<string, ConfigEntry>>;
  readonly prompts?: Readonly<Record<string, PromptEntry>>;
  readonly plugins?: readonly PluginEntry[];
  readonly provider_plugins?: readonly string[];
  readonly pricing?: Readonly<Record<string, PriceEntry>>;
  readonly logging?: LoggingEntry;
  readonly observability?: ObservabilityEntry;
}
