import { GatewayError } from '../../core/error.ts';
import type { Plan, Reply } from '../../core/plan.ts';
import { answerFromCatalog } from './index.ts';
import { refusePrompts } from './prompt.ts';
import type { RequestContext } from '../request.ts';

/** What the catalog answers without asking a provider. @throws GatewayError for a config that does not fit the route */
export function answerOf(ctx: RequestContext, plan: Plan | undefined): Reply | undefined {
  if (ctx.facts.config?.hasPrompts === true) refusePrompts(ctx);
  return answerFromCatalog(ctx, plan);
}

/** @throws GatewayError `no_target` */
export function neededPlan(plan: Plan | undefined): Plan {
  if (plan !== undefined) return plan;
  throw new GatewayError('no_target', { message: 'No plugin in the chain made a plan.', hint: 'The chain needs "routing".' });
}
