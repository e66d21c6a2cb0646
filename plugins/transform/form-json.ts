import type { JsonBody } from '#core/json/body.ts';
import type { FormBody } from '#core/http/form.ts';
import type { Hold } from '#core/memory/budget.ts';
import type { Operation } from '#core/provider.ts';

/** What a form costs in memory until its request is over: its bytes, as base64, as the text of the body, and as it is sent. */
const copies = 4;

type FromForm = NonNullable<Operation['fromForm']>;

/** Forms as JSON bodies, for providers that take none: each is read and converted once, however often it is sent. */
export class FormsAsJson {
  readonly #made = new WeakMap<FormBody, { readonly by: FromForm; readonly body: JsonBody }>();

  /**
   * @param hold counts the body; its owner closes it when the request is over
   * @throws GatewayError `body_too_large`, `timeout`, `invalid_form`, `overloaded`, and what the operation says of the form
   */
  async of(form: FormBody, operation: Operation & { readonly fromForm?: FromForm }, hold: Hold): Promise<JsonBody> {
    const by = operation.fromForm as FromForm;
    const made = this.#made.get(form);
    if (made?.by === by) return made.body;
    await form.hold();
    hold.take((form.size ?? form.received) * copies);
    const body = by(await form.contents());
    this.#made.set(form, { by, body });
    return body;
  }
}
