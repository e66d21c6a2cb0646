import type { Admitted, Routed } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { JsonBody } from '#core/json/body.ts';
import { choosePrompt, splitReference } from '#core/model/prompt.ts';
import { checkPromptAllowed } from '#core/model/usable-names.ts';
import { definePlugin, type Planned, type Screened } from '#core/plugin.ts';
import type { Leaf } from '#core/snapshot.ts';
import { PromptRun } from './run.ts';

/**
 * Stored prompts: converts a call of a prompt to a chat completion. All later stages handle it as one; only the record
 * shows the client's request. A call that only renders a prompt is answered at once.
 */
export default definePlugin({
  name: 'prompts',
  moments: ['plan', 'screen'],
  endpoints: ['prompts/{id}/completions', 'prompts/{id}/render'],
  implied: 'first',
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => ({ plan, screen }),
});

/** @throws GatewayError `prompt_not_found`, `not_allowed`, `missing_required_parameter`, `invalid_type`, `body_too_large`, `overloaded` */
function plan(ctx: Admitted): Planned {
  const { body, endpoint } = ctx;
  if (body.kind !== 'json') throw new GatewayError('invalid_json', { message: 'The body is not a JSON object.' });
  const { key } = ctx.facts.caller;
  const reference = ctx.params['id'] ?? '';
  const { id } = splitReference(reference);
  if (ctx.snapshot.prompts.has(id)) checkPromptAllowed(key, id);
  const chosen = choosePrompt(ctx.snapshot.prompts, reference, undefined, (name) => key === undefined || key.allowsPrompt(name));
  rejectMessages(body);
  const run = new PromptRun(ctx, body, chosen);
  ctx.facts.prompt = run;
  if (endpoint !== 'prompts/{id}/render') return { request: { endpoint: 'chat/completions', params: {}, body: run.body } };
  const text = Buffer.concat([Buffer.from('{"success":true,"data":'), run.body.bytes(), Buffer.from('}')]);
  run.reportWarnings();
  return { answer: { status: 200, headers: [], body: text, flow: undefined } };
}

function screen(ctx: Routed, target: Leaf): Screened | undefined {
  const { prompt } = ctx.facts;
  return prompt instanceof PromptRun ? { request: prompt.bodyFor(target) } : undefined;
}

function rejectMessages(body: JsonBody): void {
  if (!body.has('messages')) return;
  throw new GatewayError('unsupported_parameter', {
    message: 'The messages of a stored prompt cannot be overridden.',
    param: 'messages',
    hint: 'Set its variables in "variables", or call /v1/chat/completions.',
  });
}
