import { isBatchPurpose, modelsInLine } from '#core/json/batch-file.ts';
import type { Routed } from '#core/context.ts';
import { traitsOf } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import type { FormBody } from '#core/http/form.ts';
import { checkModels, forbidden, isLimited, type ModelRules, rulesFor, hiddenModelError } from '#core/model/model-rules.ts';
import type { Attempt } from '#core/plan.ts';
import type { UpstreamRequest } from '#core/provider.ts';
import { type LineWatch, watchedLines } from '#core/json/watched-lines.ts';
import { watchedParts } from './named-models.ts';

/**
 * Applies the model lists of key and entry to models that are known only now: those that the provider's conversion found,
 * and those in the lines of a batch's file, which are read while it is sent. Without a list, nothing is checked.
 *
 * @throws GatewayError `not_allowed`
 */
export function withCheckedModels(ctx: Routed, { binding, target }: Attempt, upstream: UpstreamRequest): UpstreamRequest {
  const { body, models } = upstream;
  const form = body.kind === 'form' || body.kind === 'file' ? body : undefined;
  if (models === undefined && form === undefined) return upstream;
  const rules = rulesFor(ctx.facts.caller.key, binding, target);
  checkModels(rules, models);
  if (form === undefined || !isLimited(rules)) return upstream;
  const isUpload = traitsOf(ctx.endpoint).file === 'up';
  const watch: LineWatch = { line: (line, index) => checkLine(line, index, rules), onFormRead: rejectLatePurpose };
  return { ...upstream, body: watchedParts(isUpload ? watchedLines(form, watch) : form, rules) };
}

/** The lists contain names as clients write them. */
function checkLine(line: string, index: number, rules: ModelRules): void {
  for (const { name, field } of modelsInLine(line)) {
    if (name === undefined) throw hiddenModelError(rules, `has a file whose line ${index + 1} does not show its model in "${field}"`);
    const refusal = forbidden(rules, name, `, which line ${index + 1} of the file names`);
    if (refusal !== undefined) throw refusal;
  }
}

/** The file was forwarded as another kind, so its lines were not checked. */
function rejectLatePurpose(form: FormBody): void {
  if (!isBatchPurpose(form.fields.get('purpose'))) return;
  throw new GatewayError('not_allowed', {
    message: 'The key or provider is limited to certain models, but the field "purpose" comes after the file in the form.',
    param: 'purpose',
    hint: 'Send the purpose before the file, or give the file a name that ends in .jsonl.',
  });
}
