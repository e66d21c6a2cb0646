import type { RequestBody } from '../core/http/request.ts';
import { type Endpoint, traitsOf } from '../core/endpoint.ts';
import type { FormBody, FormBytes, FormContent, FormEdit, FormPart, LineEdit } from '../core/http/form.ts';

/**
 * Writes the model of the path into the body. The original service of this path layout uses only the path, so the model in
 * the body is overwritten. All later steps, including rules about models, then see the same model.
 * Uploads and batches have no model.
 */
export function withPathModel(body: RequestBody, model: string, endpoint: Endpoint): RequestBody {
  if (traitsOf(endpoint).modelByHeader === true) return body;
  if (body.kind === 'form') return new PathModelForm(body, model);
  return body.kind !== 'json' || body.peek('model') === model ? body : body.edit(new Map([['model', model]]));
}

/** A form whose field `model` is replaced by the model of the path. */
class PathModelForm implements FormBody {
  readonly kind = 'form';
  readonly #form: FormBody;
  readonly #model: string;

  constructor(form: FormBody, model: string) {
    this.#form = form;
    this.#model = model;
  }

  get contentType(): string {
    return this.#form.contentType;
  }

  get fields(): ReadonlyMap<string, string> {
    return new Map(this.#form.fields).set('model', this.#model);
  }

  get partsRead(): readonly FormPart[] {
    return this.#form.partsRead;
  }

  get ambiguity(): string | undefined {
    return this.#form.ambiguity;
  }

  get file(): FormBody['file'] {
    return this.#form.file;
  }

  get size(): number | undefined {
    return this.#form.size;
  }

  get received(): number {
    return this.#form.received;
  }

  get isBuffered(): boolean {
    return this.#form.isBuffered;
  }

  get isSpent(): boolean {
    return this.#form.isSpent;
  }

  buffer(): Promise<void> {
    return this.#form.buffer();
  }

  async contents(): Promise<readonly FormContent[]> {
    const model = { name: 'model', isFile: false, filename: undefined, contentType: undefined, bytes: Buffer.from(this.#model, 'utf8') };
    return [...(await this.#form.contents()).filter(({ name }) => name !== 'model'), model];
  }

  open(): FormBytes {
    return this.edited({ fields: new Map() });
  }

  edited(edit: FormEdit): FormBytes {
    return this.#form.edited(edit.fields.has('model') ? edit : { ...edit, fields: new Map(edit.fields).set('model', this.#model) });
  }

  fileBytes(line?: LineEdit): FormBytes {
    return this.#form.fileBytes(line);
  }
}
