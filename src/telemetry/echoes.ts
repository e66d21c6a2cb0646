import type { Attempt } from '../core/plan.ts';
import type { Log } from './log.ts';

/** Providers that are remembered; slugs of one configuration are never so many. */
const mostKept = 1024;

/**
 * Providers that repeat the credential they are called with. The first time is logged, once for each provider and
 * revision; every time is in the warnings of the request's record.
 */
export class Echoes {
  readonly #log: Pick<Log, 'warn'>;
  readonly #revision: () => string;
  /** Slug and the revision in which it was logged. */
  readonly #logged = new Map<string, string>();

  constructor(log: Pick<Log, 'warn'>, revision: () => string) {
    this.#log = log;
    this.#revision = revision;
  }

  readonly add = ({ binding: { slug }, call }: Attempt): void => {
    const revision = this.#revision();
    if (this.#logged.get(slug) === revision) return;
    if (this.#logged.size >= mostKept) this.#logged.clear();
    this.#logged.set(slug, revision);
    this.#log.warn(
      { provider: slug, revision, request: call?.id },
      'a provider repeated its credential in a response; the gateway removed it',
    );
  };
}
