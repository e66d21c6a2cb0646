import type { Attempt } from '#core/plan.ts';
import type { PluginHost } from '#core/plugin.ts';
import type { Call } from '#core/provider.ts';
import { Reported } from './reported.ts';

interface Told {
  readonly reported: Reported;
  readonly tell: (id: string) => void;
}

/** Ids counted by any worker process. */
export class Reports {
  readonly #told: Told;
  readonly #host: PluginHost;

  constructor(host: PluginHost) {
    this.#host = host;
    this.#told = host.shared(
      'reported',
      (tell) => ({ reported: new Reported(), tell }),
      ({ reported }, id) => void reported.add(String(id)),
    );
  }

  /** True the first time for this id of this provider. A host from a request counts as another provider. */
  isFirst({ binding }: Attempt, { settings }: Pick<Call, 'settings'>, id: string): boolean {
    const key = this.#host.sha256(JSON.stringify([binding.slug, settings.custom_host ?? '', id]));
    const { reported, tell } = this.#told;
    if (!reported.add(key)) return false;
    tell(key);
    return true;
  }
}
