import type { Admitted } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { Plan } from '#core/plan.ts';
import { definePlugin } from '#core/plugin.ts';
import { stateOf } from '#core/objects/route-state.ts';
import type { Branch, CompiledConfig, Leaf } from '#core/snapshot.ts';
import { choiceOf } from './choice.ts';
import { configOf } from './config.ts';
import { leafError } from './refusals.ts';
import { ignoredStrategy, requireAccount } from './stateful.ts';
import { LeafRules } from './leaf-rules.ts';

/**
 * Plans which targets are tried in which order: from the applicable config, the provider that the request selects if the
 * config has none, and the rules of key and catalog that exclude targets. The same input always gives the same plan.
 */
export default definePlugin({
  name: 'routing',
  moments: ['plan'],
  provides: ['targets'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => ({ plan }),
});

/** Undefined only for requests for models that need no provider, which the gateway answers from its catalog. */
function plan(ctx: Admitted): Plan | undefined {
  const choice = choiceOf(ctx);
  const applicableConfig = configOf(ctx);
  ctx.facts.choice = choice;
  const isCatalogRequest = choice === undefined && (ctx.endpoint === 'models' || ctx.endpoint === 'models/{id}');
  if (isCatalogRequest && applicableConfig === undefined) return undefined;
  const config = applicableConfig ?? ctx.snapshot.noConfig;
  ctx.facts.config = config;
  if (config.hasPrompts === true) rejectPrompts(ctx, config);
  if (isCatalogRequest && dependsOnRequest(config.root)) return undefined;
  const state = stateOf(ctx);
  requireAccount(ctx, config, choice);
  if (state === 'names' && config.root.strategy !== 'leaf') warnIgnored(ctx, ignoredStrategy(config));
  const rules = new LeafRules(ctx, choice, state === 'names' ? 'stateful' : 'model');
  ctx.facts.traversal = rules;
  const targetPlan = ctx.snapshot.plan(config, rules);
  if (targetPlan === undefined && !(isCatalogRequest && !ctx.headers.gateway('config'))) throw leafError(ctx, rules.refused);
  return targetPlan;
}

/**
 * A config whose targets have prompts is not usable for other requests.
 * @throws GatewayError `invalid_config`
 */
function rejectPrompts(ctx: Admitted, { name }: CompiledConfig): void {
  if (ctx.facts.prompt !== undefined) return;
  throw new GatewayError('invalid_config', {
    message: `Config "${name}" has targets with a prompt_id, but ${ctx.method} ${ctx.path} does not run stored prompts.`,
    hint: 'Use it on POST /v1/prompts/{id}/completions, or name a config without prompt_id.',
  });
}

/** True if the target depends on the model, which a request for a list does not contain. */
const dependsOnRequest = (node: Branch | Leaf): boolean =>
  node.strategy !== 'leaf' && (node.strategy === 'conditional' || node.targets.some(dependsOnRequest));

function warnIgnored(ctx: Admitted, warning: string | undefined): void {
  if (warning !== undefined) ctx.warnings.push(warning);
}
