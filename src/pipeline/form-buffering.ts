import { requestsStream, requestedModelOf } from '../core/model/requested-model.ts';
import { traitsOf } from '../core/endpoint.ts';
import type { FormBody } from '../core/http/form.ts';
import type { Plan } from '../core/plan.ts';
import type { Branch, Leaf } from '../core/snapshot.ts';
import type { RequestContext } from './request.ts';

/**
 * The form of a request if it must be read to its end before the request continues; undefined if it can be streamed.
 * Uploaded files are never buffered, because headers decide their route. Other forms are buffered if their model is not
 * known yet, or if the plan may send them twice or as JSON, which also needs the fields after a file.
 */
export function formToBuffer(ctx: RequestContext, plan: Plan | undefined): FormBody | undefined {
  const form = ctx.received;
  if (form.kind !== 'form' || form.isBuffered || traitsOf(ctx.endpoint).file === 'up') return undefined;
  const needs = plan === undefined ? ctx.requestedModel === '' : maySendTwice(plan.first) || isSentAsJson(ctx, plan.first);
  return needs ? form : undefined;
}

/** Buffers the form and reads the fields after its file. @throws GatewayError `body_too_large`, `timeout`, `invalid_form` */
export async function bufferForm(ctx: RequestContext, form: FormBody): Promise<void> {
  await form.buffer();
  ctx.requestedModel = requestedModelOf(form, ctx.query);
  ctx.stream = requestsStream(form, ctx.query);
}

function isSentAsJson({ endpoint, facts }: RequestContext, { provider = facts.choice?.binding }: Leaf): boolean {
  return provider?.provider.operations[endpoint]?.fromForm !== undefined;
}

/** True if there are retries, or a fallback above with another target. */
function maySendTwice(leaf: Leaf): boolean {
  if (leaf.retry.attempts > 0) return true;
  for (let above: Branch | undefined = leaf.parent; above !== undefined; above = above.parent) {
    if (above.strategy === 'fallback' && above.targets.length > 1) return true;
  }
  return false;
}
