import type { Admitted } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import { fromHeader } from '#core/http/header-text.ts';
import { slugOf } from '#core/model/model-name.ts';
import { didYouMean } from '#core/text/nearest.ts';
import type { ApiKey, CompiledConfig } from '#core/snapshot.ts';
import { headerNameAsSent } from '#core/text/header-name-as-sent.ts';
import { usableConfigs, usableProviders, withoutSuggestions } from '#core/model/usable-names.ts';
import { shortList } from '#core/text/wording.ts';

const openBrace = 0x7b;

/**
 * The applicable config: the one that the request names or sends, or else that of its stored prompt, or else the key's
 * `default_config`. The last two apply only if the request selects no provider. Undefined: none.
 *
 * @throws GatewayError `config_not_found`, `invalid_config`, `not_allowed`
 */
export function configOf(ctx: Admitted): CompiledConfig | undefined {
  const { key } = ctx.facts.caller;
  const requested = fromHeader(ctx.headers.gateway('config')?.trim() ?? '');
  const defaultConfig = key?.defaultConfig;
  const promptConfig = ctx.facts.prompt?.config;
  if (key?.enforceConfig === true && defaultConfig !== undefined) return enforcedConfig(ctx, key.name, defaultConfig, requested);
  if (requested !== '') return requested.charCodeAt(0) === openBrace ? inlineConfig(ctx, key, requested) : namedConfig(ctx, key, requested);
  if (promptConfig !== undefined) return namedConfig(ctx, key, promptConfig);
  if (defaultConfig === undefined || selectsProvider(ctx)) return undefined;
  return ctx.snapshot.configs.get(defaultConfig) ?? configNotFound(ctx, defaultConfig, undefined);
}

/** True if the request selects a provider by slug, provider header or virtual key. */
function selectsProvider(ctx: Admitted): boolean {
  return ctx.facts.virtualKey !== undefined || isSet(ctx.headers.gateway('provider')) || slugOf(ctx.requestedModel) !== undefined;
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

function enforcedConfig(ctx: Admitted, keyName: string, defaultConfig: string, requested: string): CompiledConfig {
  const promptConfig = ctx.facts.prompt?.config;
  if (
    (requested !== '' && requested !== defaultConfig) ||
    (promptConfig !== undefined && promptConfig !== defaultConfig) ||
    selectsProvider(ctx)
  ) {
    throw new GatewayError('not_allowed', {
      message: `Key "${keyName}" is bound to config "${defaultConfig}", but ${conflictText(ctx, requested === defaultConfig ? '' : requested)}.`,
      hint: 'Remove the config, provider, virtual key or slug from the request; of a stored prompt, from the prompt.',
    });
  }
  return ctx.snapshot.configs.get(defaultConfig) ?? configNotFound(ctx, defaultConfig, undefined);
}

/** Describes the conflict, as the end of a sentence. @param requested the config of the request, unless it is the applicable one */
function conflictText({ headers, facts, requestedModel }: Admitted, requested: string): string {
  if (requested !== '') return `the request ${requested.charCodeAt(0) === openBrace ? 'sends a config' : `names config "${requested}"`}`;
  const provider = headers.gateway('provider');
  if (isSet(provider)) return `the request names provider "${provider}"`;
  if (facts.virtualKey !== undefined) return `the request names virtual key "${facts.virtualKey.virtualKey ?? facts.virtualKey.slug}"`;
  const prompt = facts.prompt;
  const slug = slugOf(prompt === undefined ? requestedModel : (prompt.requestedModel ?? ''));
  if (prompt === undefined || slug !== undefined) return `the request names provider "@${slug}"`;
  const promptChoice = prompt.config === undefined ? `provider "@${slugOf(prompt.used.version.model ?? '')}"` : `config "${prompt.config}"`;
  return `the prompt "${prompt.used.version.id}" names ${promptChoice}`;
}

function inlineConfig(ctx: Admitted, key: ApiKey | undefined, text: string): CompiledConfig {
  if (key !== undefined && !key.allowsConfig('inline')) {
    throw new GatewayError('not_allowed', {
      message: `Key "${key.name}" may not send its own configs.`,
      param: headerNameAsSent(ctx.headers, 'config'),
      hint: 'Name one of the configs that the key may use, or add "inline" to its allow.configs.',
    });
  }
  try {
    return ctx.snapshot.inlineConfig(text, key);
  } catch (error) {
    throw key === undefined || !(error instanceof GatewayError) ? error : withoutSuggestions(error, unusableNames(ctx, key));
  }
}

/** Checks the names against the key, because the compiler of a config does not know the key. */
function unusableNames({ snapshot }: Admitted, key: ApiKey): ReadonlySet<string> {
  const usable = new Set(usableProviders(snapshot, key));
  const prompts = [...snapshot.prompts.keys()].filter((id) => !key.allowsPrompt(id));
  return new Set([...prompts, ...[...snapshot.providers.keys()].filter((name) => !usable.has(name))]);
}

function namedConfig(ctx: Admitted, key: ApiKey | undefined, name: string): CompiledConfig {
  const config = ctx.snapshot.configs.get(name) ?? configNotFound(ctx, name, headerNameAsSent(ctx.headers, 'config'));
  if (key !== undefined && name !== key.defaultConfig && !key.allowsConfig(name)) {
    throw new GatewayError('not_allowed', {
      message: `Key "${key.name}" may not use config "${name}".`,
      param: headerNameAsSent(ctx.headers, 'config'),
      hint: `The rule is allow.configs of the key.`,
    });
  }
  return config;
}

function configNotFound(ctx: Admitted, name: string, param: string | undefined): never {
  throw new GatewayError('config_not_found', {
    message: `No config is named "${name}".${didYouMean(name, usableConfigs(ctx.snapshot, ctx.facts.caller.key))}`,
    param,
    hint: `Configs are defined under "configs" in gateway.yaml; a config can also be sent as JSON.${configHint(ctx)}`,
  });
}

/** The names that a client may use, at most ten. */
function configHint({ snapshot, facts }: Admitted): string {
  const names = [...usableConfigs(snapshot, facts.caller.key)];
  return names.length === 0 ? '' : ` Configs: ${shortList(names, 10)}.`;
}
