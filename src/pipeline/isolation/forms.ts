import { GatewayError } from '../../core/error.ts';
import type { FormBody } from '../../core/http/form.ts';
import type { UpstreamRequest } from '../../core/provider.ts';
import type { CallerObjects } from './caller-objects.ts';

/**
 * A form that is forwarded: the ids in its text fields are checked like those of a JSON body. Fields may follow the file, so a form
 * that is still arriving is checked again after each part.
 *
 * @throws GatewayError `object_not_found`, `invalid_form`
 */
export function watchedForm(upstream: UpstreamRequest, caller: CallerObjects): UpstreamRequest {
  const { body } = upstream;
  if (body.kind !== 'form') return upstream;
  const { form, edit } = body;
  let checked = 0;
  const checkParts = (): void => {
    rejectAmbiguity(form);
    caller.checkFields(form.partsRead.slice(checked));
    checked = form.partsRead.length;
  };
  checkParts();
  if (form.isBuffered) return upstream;
  const check = (): void => {
    edit?.check?.();
    checkParts();
  };
  return { ...upstream, body: { ...body, edit: { ...(edit ?? { fields: new Map() }), check } } };
}

/** The service may find an id, or the purpose of a file, where the gateway has found none. */
function rejectAmbiguity({ ambiguity }: FormBody): void {
  if (ambiguity === undefined) return;
  throw new GatewayError('invalid_form', {
    message: `The form ${ambiguity}. Services parse that differently, and the provider has isolate: true.`,
    hint: 'Send standard multipart/form-data, as HTTP libraries and browsers write it.',
  });
}
