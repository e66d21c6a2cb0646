import type { Attempt } from '../core/plan.ts';
import type { Log } from './log.ts';

/** Maximum number of remembered providers; more than the slugs of any configuration. */
const maxStored = 1024;

/**
 * Reports providers that repeat the credential in a response. The first time is logged, once per provider and revision; each time
 * is in the warnings of the request's record.
 */
export class EchoedCredentials {
  readonly #log: Pick<Log, 'warn'>;
  readonly #revision: () => string;
  /** The revision in which each slug was logged. */
  readonly #logged = new Map<string, string>();

  constructor(log: Pick<Log, 'warn'>, revision: () => string) {
    this.#log = log;
    this.#revision = revision;
  }

  readonly add = ({ binding: { slug }, call }: Attempt): void => {
    const revision = this.#revision();
    if (this.#logged.get(slug) === revision) return;
    if (this.#logged.size >= maxStored) this.#logged.clear();
    this.#logged.set(slug, revision);
    this.#log.warn(
      { provider: slug, revision, request: call?.id },
      "a provider's response contained its credential; the gateway masked it",
    );
  };
}
