import type { PendingBody, RequestBody } from '../../../core/http/request.ts';
import { emptyBody } from '../../../core/json/body.ts';
import type { GatewayError } from '../../../core/error.ts';
import { type BodyLimits, type ClientBodyDeps, JsonRequestBody, missingBody } from '../body/json-request-body.ts';
import type { PlainRequest } from './plain-request.ts';

/** The body of a plain request: JSON, or none. */
export class PlainBody implements PendingBody {
  readonly #request: PlainRequest;
  readonly #limits: BodyLimits;
  readonly #deps: ClientBodyDeps;
  #held: JsonRequestBody | undefined;

  constructor(request: PlainRequest, limits: BodyLimits, deps: ClientBodyDeps) {
    this.#request = request;
    this.#limits = limits;
    this.#deps = deps;
  }

  get received(): number {
    return this.#held?.received ?? 0;
  }

  read(done: (body: RequestBody | GatewayError) => void): void {
    const { known, length, body } = this.#request;
    if (known.traits.body === 'none') done(emptyBody);
    else if (length === 0) done(missingBody());
    else {
      this.#held = new JsonRequestBody({ headers: known.headers, body }, this.#limits, this.#deps);
      this.#held.read(done);
    }
  }

  drop(): void {
    this.#held?.drop();
  }
}
