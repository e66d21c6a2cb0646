import { compileGlob, literalOf } from '../compile/providers/glob.ts';
import { providerOf } from '../read/registry.ts';
import { child, textOf } from '../read/node.ts';
import { type CheckContext, sectionEntries, textsOf } from './context.ts';

/**
 * Checks that each price names a provider of the file or the type of one. Model names are not checked, since only
 * providers know their models, except where a provider entry lists the models that it serves.
 */
export function checkPricing({ root, registry, report }: CheckContext): void {
  const entries = sectionEntries(root, 'pricing');
  if (entries.size === 0) return;
  const providers = [...sectionEntries(root, 'providers')].map(([slug, { value }]) => {
    const type = textOf(child(value, 'type')) ?? '';
    const list = child(value, 'models');
    return {
      names: [slug, providerOf(registry, type)?.type ?? type],
      models: list?.kind === 'list' ? textsOf(list).map(({ text }) => text) : undefined,
    };
  });
  for (const [pattern, { keyAt }] of entries) {
    if (providers.length === 0 || matchesAny(pattern, providers)) continue;
    report({
      code: 'never-used',
      at: keyAt,
      message: `no provider of this file has the price "${pattern}"`,
      hint: 'write <provider>/<model>, <type>/<model> or <model>; * is any text',
    });
  }
}

interface PricedProvider {
  readonly names: readonly string[];
  /** Globs; undefined means any model. */
  readonly models: readonly string[] | undefined;
}

function matchesAny(pattern: string, providers: readonly PricedProvider[]): boolean {
  const slash = pattern.indexOf('/');
  const first = slash < 0 ? undefined : pattern.slice(0, slash);
  const isOwner = (name: string): boolean => first !== undefined && compileGlob(first)(name);
  const owners = providers.filter(({ names }) => names.some(isOwner));
  if (owners.length > 0) return owners.some(({ models }) => serves(models, pattern.slice(slash + 1)));
  // A pattern without a slash, or with a slash that belongs to the model name: `meta-llama/Llama-3.3-70B`.
  return providers.some(({ models }) => (models === undefined ? isModelName(pattern, slash) : serves(models, pattern)));
}

/** Prefixes of model names on services that host models of other vendors. Slugs are not written with capitals. */
const vendorPrefix =
  /^(accounts|anthropic|cohere|deepseek|deepseek-ai|google|meta|meta-llama|microsoft|mistralai|moonshotai|nvidia|openai|perplexity|publishers|qwen|x-ai|xai|z-ai|zai-org)\//i;

const isModelName = (pattern: string, slash: number): boolean =>
  slash < 0 || vendorPrefix.test(pattern) || /[A-Z*]/.test(pattern.slice(0, slash));

function serves(models: readonly string[] | undefined, pattern: string): boolean {
  if (models === undefined) return true;
  // Whether one name matches two globs is hard to decide: two globs count as a match.
  if (literalOf(pattern) === undefined) return models.some((model) => literalOf(model) === undefined || compileGlob(pattern)(model));
  return models.some((model) => compileGlob(model)(pattern));
}
