import type { JsonBody } from '#core/json/body.ts';
import type { FormBody } from '#core/http/form.ts';
import type { MemoryReservation } from '#core/memory/budget.ts';
import type { Operation } from '#core/provider.ts';

/** Copies of a form in memory during a request: its bytes, base64, the text of the body, and the bytes to send. */
const copiesInMemory = 4;

type FromForm = NonNullable<Operation['fromForm']>;

/** Converts forms to JSON bodies for providers that accept no forms. Each form is read and converted once, even if it is sent several times. */
export class FormConverter {
  readonly #converted = new WeakMap<FormBody, { readonly by: FromForm; readonly body: JsonBody }>();

  /**
   * @param hold counts the memory of the body; its owner closes it at the end of the request
   * @throws GatewayError `body_too_large`, `timeout`, `invalid_form`, `overloaded`, and errors of the operation about the form
   */
  async of(form: FormBody, operation: Operation & { readonly fromForm?: FromForm }, hold: MemoryReservation): Promise<JsonBody> {
    const by = operation.fromForm as FromForm;
    const cached = this.#converted.get(form);
    if (cached?.by === by) return cached.body;
    await form.buffer();
    hold.take((form.size ?? form.received) * copiesInMemory);
    const body = by(await form.contents());
    this.#converted.set(form, { by, body });
    return body;
  }
}
