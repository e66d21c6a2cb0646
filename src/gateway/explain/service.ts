import type { ReplayRequest, ReplayResult, RequestDifferences } from '../../admin/api-types.ts';
import type { RequestExplainer } from '../../admin/managed-gateway.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import type { WrittenLocations } from '../../config/report/origins.ts';
import type { Clock } from '../../core/context.ts';
import { GatewayError } from '../../core/error.ts';
import { canonicalPrefix, defaultPrefixes } from '../../core/http/headers.ts';
import type { Explanation, ExplainRequest } from '../../core/logs/explanation.ts';
import type { LogReader, StoredRecord } from '../../core/logs/reader.ts';
import { plural } from '../../core/text/wording.ts';
import type { Explainer } from '../../explain/explainer.ts';
import { loggedBody, recordOf } from '../../explain/logged/bodies.ts';
import { loggedDifferences } from '../../explain/logged/differences.ts';
import { countMasked } from '../../explain/logged/count-masked.ts';
import { withReplayChanges, responseDifferences } from '../../explain/logged/replay.ts';
import { sendToListener } from '../admin/listener-request.ts';
import { replayRequest } from '../../explain/logged/request.ts';
import { type HeaderNames, headerNames } from '../../transport/inbound/header-bag.ts';
import type { GatewayOptions } from '../types.ts';
import { type OpenExplainer, openExplainer } from './open.ts';
import { requireLog } from '../../admin/routes/route.ts';

export interface ExplainServiceDeps {
  readonly options: Pick<GatewayOptions, 'registry'>;
  readonly clock: Clock;
  loaded(): ValidConfig;
  /** What the files of `loaded` contain. Collected outside the event loop. */
  written(): Promise<WrittenLocations>;
  logs(): LogReader | undefined;
  /** URL of the data listener. */
  url(): string;
  mask(text: string): string;
}

/** Explains and replays requests for the admin API. The explainer is built from the configuration on first use. */
export class ExplainService implements RequestExplainer {
  readonly #deps: ExplainServiceDeps;
  #open: { readonly of: ValidConfig; readonly opened: Promise<OpenExplainer> } | undefined;
  /** Explainers of earlier configurations. They stay open for as long as a call may take. */
  readonly #retired = new Set<Promise<OpenExplainer>>();

  constructor(deps: ExplainServiceDeps) {
    this.#deps = deps;
  }

  async explain(request: ExplainRequest): Promise<Explanation> {
    const explainer = await this.#explainer();
    return explainer.explain(request.from_log === undefined ? request : await this.#fromLog(request, request.from_log));
  }

  async differences(id: string): Promise<RequestDifferences> {
    const logs = this.#logs();
    const stored = await recordOf(logs, id);
    const { record } = stored;
    const isSame = record.revision === this.#deps.loaded().revision;
    const configured = isSame && record.target !== null ? (await this.#explainer()).configured(record.target, record.config) : undefined;
    return loggedDifferences(
      stored,
      await loggedBody(logs, stored, 'request'),
      await loggedBody(logs, stored, 'upstream'),
      configured,
      this.#deps.mask,
    );
  }

  async upstreamBody(id: string): Promise<Uint8Array | undefined> {
    const logs = this.#logs();
    const stored = await recordOf(logs, id);
    const found = stored.record.upstream.body?.same_as === 'request' ? await loggedBody(logs, stored, 'upstream') : undefined;
    return found !== undefined && 'text' in found ? Buffer.from(found.text, 'utf8') : undefined;
  }

  async replay({ id, to, config, api_key: key, force }: ReplayRequest): Promise<ReplayResult> {
    const logs = this.#logs();
    const stored = await recordOf(logs, id);
    const kept = await loggedBody(logs, stored, 'request');
    if (force !== true && 'text' in kept) refuseMasked(stored, kept.text);
    const names = this.#headerNames();
    const request = withReplayChanges(replayRequest(stored, kept, names), { to, config }, names);
    const { method = 'POST', path = '/v1/chat/completions', body: sent } = request;
    // A stored response would be the recorded one.
    const headers = { ...request.headers, [`${canonicalPrefix}cache-force-refresh`]: 'true' };
    const response = await sendToListener(this.#deps.url(), { method, path, headers, body: sent, key });
    const before = await loggedBody(logs, stored, 'response');
    const body = this.#deps.mask(response.body);
    const newId = String(response.headers['x-request-id'] ?? response.headers['request-id'] ?? '');
    return { id: newId, status: response.status, body, ...responseDifferences(before, body, stored, this.#deps.mask) };
  }

  /** Closes all explainers. Nothing can be explained afterwards. */
  async close(): Promise<void> {
    if (this.#open !== undefined) this.#retired.add(this.#open.opened);
    await Promise.all([...this.#retired].map((opened) => this.#close(opened)));
  }

  async #fromLog(request: ExplainRequest, id: string): Promise<ExplainRequest> {
    const logs = this.#logs();
    const stored = await recordOf(logs, id);
    const kept = request.body === undefined ? await loggedBody(logs, stored, 'request') : { text: '' };
    const again = replayRequest(stored, kept, this.#headerNames());
    const given = Object.fromEntries(Object.entries(request).filter(([name, value]) => value !== undefined && name !== 'from_log'));
    return { ...again, ...given, headers: { ...again.headers, ...request.headers } };
  }

  #logs(): LogReader {
    return requireLog(this.#deps.logs());
  }

  #headerNames(): HeaderNames {
    return headerNames(this.#deps.loaded().tree.server?.header_prefixes ?? defaultPrefixes);
  }

  async #explainer(): Promise<Explainer> {
    const loaded = this.#deps.loaded();
    if (this.#open?.of !== loaded) {
      const before = this.#open;
      this.#open = { of: loaded, opened: this.#opened(loaded) };
      if (before !== undefined) this.#retire(before.opened);
    }
    const open = this.#open;
    try {
      return (await open.opened).explainer;
    } catch (error) {
      // A newer one may be open already.
      if (this.#open === open) this.#open = undefined;
      throw error;
    }
  }

  async #opened(loaded: ValidConfig): Promise<OpenExplainer> {
    const { options, clock } = this.#deps;
    return openExplainer({ loaded, written: await this.#deps.written(), registry: options.registry, clock });
  }

  #retire(opened: Promise<OpenExplainer>): void {
    this.#retired.add(opened);
    setTimeout(() => void this.#close(opened), closeAfterMs).unref();
  }

  async #close(opened: Promise<OpenExplainer>): Promise<void> {
    if (!this.#retired.delete(opened)) return;
    try {
      await (await opened).close();
    } catch {
      // The set-up failed, or a plugin failed to shut down: the serving gateway does not depend on either.
    }
  }
}

const closeAfterMs = 60_000;

function refuseMasked(stored: StoredRecord, body: string): void {
  const { record } = stored;
  const count = record.bodies === 'redacted' ? countMasked(stored, body) : 0;
  if (count === 0) return;
  throw new GatewayError('missing_required_parameter', {
    param: 'force',
    message: `The body of "${record.id}" was masked in ${plural(count, 'place')} before it was stored: it differs from the request of the client.`,
    hint: '--force ("force": true in the admin API) sends the masked body.',
  });
}
