import type { Attempt } from '#core/plan.ts';
import type { PluginHost } from '#core/plugin.ts';
import type { Call } from '#core/provider.ts';
import { ReportedIds } from './reported-ids.ts';

interface SharedReports {
  readonly reported: ReportedIds;
  readonly send: (id: string) => void;
}

/** Ids counted by any worker process. */
export class UsageReports {
  readonly #shared: SharedReports;
  readonly #host: PluginHost;

  constructor(host: PluginHost) {
    this.#host = host;
    this.#shared = host.shared(
      'reported',
      (send) => ({ reported: new ReportedIds(), send }),
      ({ reported }, id) => void reported.add(String(id)),
      ({ reported }) => reported.all(),
    );
  }

  /** True the first time for this id of this provider. A host from a request counts as another provider. */
  isFirst({ binding }: Attempt, { settings }: Pick<Call, 'settings'>, id: string): boolean {
    const key = this.#host.sha256(JSON.stringify([binding.slug, settings.custom_host ?? '', id]));
    const { reported, send } = this.#shared;
    if (!reported.add(key)) return false;
    send(key);
    return true;
  }
}
