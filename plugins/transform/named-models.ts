import { unreadInputIn } from '#core/json/batch-file.ts';
import type { RequestBody } from '#core/http/request.ts';
import type { Routed } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { FormBody, FormUpstream } from '#core/http/form.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import { modelsNamedIn, modelsNamedInPart, type NamedModel, namesModel, plainName } from '#core/json/model-fields.ts';
import { forbidden, forbiddenModel, isLimited, type ModelRules, rulesFor, ruleOf, hiddenModelError } from '#core/model/model-rules.ts';
import type { Attempt } from '#core/plan.ts';
import type { CommonSettings } from '#core/provider.ts';
import type { JsonObject } from '#core/json/merge.ts';

/** The parts of an attempt that may contain a model. */
export interface AttemptParts {
  /** The body with the target's overrides. */
  readonly body: RequestBody;
  readonly settings: CommonSettings & JsonObject;
  /** The caller's headers that are forwarded. */
  readonly copies: HeaderPairs | undefined;
}

/**
 * Applies the model lists of key and provider to every model in an attempt: the requested one, and those in other fields,
 * headers and settings. Without a list, nothing is checked.
 *
 * @throws GatewayError `not_allowed`, `invalid_json`, `invalid_form`
 */
export function checkNamedModels(ctx: Routed, { binding, model, target }: Attempt, sent: AttemptParts): void {
  const rules = rulesFor(ctx.facts.caller.key, binding, target);
  if (!isLimited(rules)) return;
  throwIfRefused(forbiddenModel(rules, model));
  const { body } = sent;
  if (body.kind === 'json') {
    checkNames(rules, modelsNamedIn(body));
    if (ctx.endpoint === 'batches') checkInput(rules, unreadInputIn(body.json()));
  }
  if (body.kind === 'form') checkParts(rules, body, 0);
  for (const named of headerModels(sent.copies)) throwIfRefused(forbidden(rules, named));
  for (const named of settingModels(ctx, binding, sent.settings)) throwIfRefused(forbidden(rules, named));
}

/** A form that is still arriving is checked again after each part, because fields may follow its file. */
export function watchedParts(body: FormUpstream, rules: ModelRules): FormUpstream {
  if (body.kind !== 'form' || body.form.isBuffered) return body;
  const { form } = body;
  const innerCheck = body.edit?.check;
  let checked = form.partsRead.length;
  const check = (): void => {
    innerCheck?.();
    checked = checkParts(rules, form, checked);
  };
  return { ...body, edit: { ...(body.edit ?? { fields: new Map() }), check } };
}

/** Number of checked parts. */
function checkParts(rules: ModelRules, form: FormBody, from: number): number {
  checkFormSyntax(form);
  for (const part of form.partsRead.slice(from)) {
    checkNames(rules, modelsNamedInPart(part));
    // The purpose decides whether the lines of a file are checked.
    if (part.name !== 'purpose' && plainName(part.name) === 'purpose')
      throw hiddenModelError(rules, `has a field "${part.name}"`, 'Write it as "purpose".');
  }
  return form.partsRead.length;
}

function checkNames(rules: ModelRules, named: readonly NamedModel[]): void {
  for (const { name, field } of named) {
    if (name === undefined) throw hiddenModelError(rules, `leaves the choice of a model to the service in "${field}"`, hintFor(field));
    throwIfRefused(forbidden(rules, name, field === 'model' ? '' : `, which the field "${field}" names`));
  }
}

function checkInput(rules: ModelRules, unread: string | undefined): void {
  if (unread === undefined) return;
  throw hiddenModelError(
    rules,
    `reads its lines from "${unread}"`,
    `${ruleOf(rules)} Send the lines to /v1/files, and their id in "input_file_id".`,
  );
}

const hintFor = (field: string): string => `Leave "${field}" out, or write the name of one model there.`;

function throwIfRefused(refusal: GatewayError | undefined): void {
  if (refusal !== undefined) throw refusal;
}

function* headerModels(pairs: HeaderPairs | undefined): Iterable<string> {
  if (pairs === undefined) return;
  for (let i = 0; i + 1 < pairs.length; i += 2) if (namesModel(plainName(pairs[i] ?? ''))) yield pairs[i + 1] ?? '';
}

/** A deployment that a request selects by header or config must be in the lists. */
function* settingModels({ snapshot }: Routed, { provider, slug }: Attempt['binding'], settings: JsonObject): Iterable<string> {
  const configured = snapshot.providers.get(slug)?.settings;
  for (const { setting, namesModel: isModel } of provider.entry.requestSettings) {
    const value = settings[setting];
    if (isModel === true && typeof value === 'string' && value !== configured?.[setting]) yield value;
  }
}

/** A rule depends on the form, so all parsers must read the same from it. @throws GatewayError `invalid_form` */
export function checkFormSyntax({ ambiguity }: FormBody): void {
  if (ambiguity === undefined) return;
  const message = `The form ${ambiguity}. Services parse that differently, and a rule of the key or provider depends on the form.`;
  throw new GatewayError('invalid_form', { message, hint: 'Send standard multipart/form-data, as HTTP libraries and browsers write it.' });
}
