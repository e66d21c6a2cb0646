import type { PendingBody } from '../../../core/http/arrival.ts';
import { emptyBody, type RequestBody } from '../../../core/json/body.ts';
import type { GatewayError } from '../../../core/error.ts';
import { type BodyLimits, type ClientBodyDeps, HeldBody, noBody } from '../body/held-body.ts';
import type { PlainRequest } from './front.ts';

/** The body of a plain request: JSON, or none. */
export class PlainBody implements PendingBody {
  readonly #request: PlainRequest;
  readonly #limits: BodyLimits;
  readonly #deps: ClientBodyDeps;
  #held: HeldBody | undefined;

  constructor(request: PlainRequest, limits: BodyLimits, deps: ClientBodyDeps) {
    this.#request = request;
    this.#limits = limits;
    this.#deps = deps;
  }

  read(done: (body: RequestBody | GatewayError) => void): void {
    const { known, length, body } = this.#request;
    if (known.traits.body === 'none') done(emptyBody);
    else if (length === 0) done(noBody());
    else {
      this.#held = new HeldBody({ headers: known.headers, body }, this.#limits, this.#deps);
      this.#held.read(done);
    }
  }

  drop(): void {
    this.#held?.drop();
  }
}
