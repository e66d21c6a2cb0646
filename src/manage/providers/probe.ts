import { withTimeout } from '../../core/async/with-timeout.ts';
import { GatewayError } from '../../core/error.ts';
import type { HeaderPairs } from '../../core/http/headers.ts';
import { gatewayFaultFix } from '../../core/http/connection-fault.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { printable } from '../../core/text/printable.ts';
import type { LocalAnswer, Probe, UpstreamRequest } from '../../core/provider.ts';
import type { CredentialRef } from '../../core/snapshot.ts';
import { type FetchedResponse, FetchFault, fetchResponse } from '../../transport/outbound/fetch-response.ts';
import type { Outbound } from '../../transport/outbound/index.ts';
import { bytesOfPiece } from '../../transport/outbound/local-response.ts';
import type { WireRequest } from '../../transport/wire/request.ts';
import type { CatalogEntry } from './catalog-entry.ts';
import { probeRequest } from './probe-request.ts';
import { tryParseObject } from '../../core/json/scan.ts';
import { withoutFullStop } from '../../core/text/wording.ts';

/** Options of a probe. */
export interface ProbeOptions {
  readonly outbound: Outbound;
  /** Timeout of each request. */
  readonly timeoutMs: number;
  /** Removes the secrets of the configuration. */
  mask(text: string): string;
}

/** Result of one probe. */
export interface ProbeResult {
  readonly probe: Probe;
  readonly isGood: boolean;
  /** 0 if there was no response. */
  readonly status: number;
  /** The result or the problem, in one line. */
  readonly says: string | undefined;
  readonly fix: string | undefined;
  /** Number of models, if the response is a list of models. */
  readonly models: number | undefined;
}

/** Maximum response size in bytes. Responses to probes are small; a list of models may have several hundred rows. */
const maxBytes = 4 * 1024 * 1024;

/** Sends one probe to a provider: created, signed and checked like regular traffic. Never rejects. */
export async function runProbe(
  one: CatalogEntry,
  probe: Probe,
  { outbound, timeoutMs: totalMs, mask }: ProbeOptions,
): Promise<ProbeResult> {
  try {
    const { translation, deployment } = probeRequest(one.binding, probe);
    const { request } = translation;
    const answer =
      translation.local === undefined
        ? await sendSigned(one, request, one.binding.credential(deployment), outbound, totalMs)
        : localResponse(translation.local(request));
    const sent = answer.body.toString('utf8');
    if (answer.status >= 200 && answer.status < 300) {
      const text = translation.repair?.(sent) ?? sent;
      const whole = tryParseObject(text);
      if (!isJsonObject(whole) || isJsonObject(whole['error']))
        return failedProbe(probe, answer.status, unexpectedBody(whole), connectionFixes['too-large']);
      return passedProbe(probe, answer.status, translation.result?.(text, whole) ?? whole);
    }
    const accepted = probe.accepts?.[answer.status];
    if (accepted !== undefined) return { ...passedProbe(probe, answer.status, undefined), says: accepted };
    const { message } = one.binding.provider.fault(answer.status, sent);
    return failedProbe(probe, answer.status, oneLine(message, mask), probe.fixes?.[answer.status]);
  } catch (error) {
    return probeFault(probe, error, mask);
  }
}

/** After a 401 with a fetched token, the request is repeated once with a new token, as in regular traffic. */
async function sendSigned(
  { binding }: CatalogEntry,
  request: UpstreamRequest,
  credential: CredentialRef,
  outbound: Outbound,
  totalMs: number,
): Promise<FetchedResponse> {
  const refusal = outbound.egress.check(request.origin, binding.trust);
  if (refusal !== undefined) throw refusal;
  const limits = { trust: binding.trust, connectMs: totalMs, totalMs, maxBytes };
  const send = async (): Promise<[FetchedResponse, HeaderPairs]> => {
    const headers = await withTimeout(credential.headers(request), totalMs, () => {
      // A token endpoint that does not respond must not block the command.
      throw new FetchFault('timeout', `no token within ${totalMs} ms`);
    });
    return [await fetchResponse(outbound.upstream, wireOf(request, headers), limits), headers];
  };
  const [answer, used] = await send();
  const isRefused = answer.status === 401 || credential.isRefused?.(answer.status, answer.body) === true;
  return isRefused && credential.evict?.(used, answer.body) === true ? (await send())[0] : answer;
}

function wireOf(request: UpstreamRequest, headers: HeaderPairs): WireRequest {
  const { body } = request;
  if (body.kind !== 'json' && body.kind !== 'none') throw new Error('a probe has no form');
  return { ...request, body, headers: request.headers.concat(headers) };
}

function localResponse({ status, headers, pieces, breaks }: LocalAnswer): FetchedResponse {
  if (breaks !== undefined) throw new FetchFault('connection', `the response ends early (${breaks})`);
  return { status, headers, body: Buffer.concat(pieces.map(bytesOfPiece)) };
}

function passedProbe(probe: Probe, status: number, answer: unknown): ProbeResult {
  const data = isJsonObject(answer) ? answer['data'] : undefined;
  const models = probe.endpoint === 'models' && Array.isArray(data) ? data.length : undefined;
  return { probe, isGood: true, status, says: undefined, fix: undefined, models };
}

/** A login or proxy page returns success for any request, and proves nothing. */
const unexpectedBody = (whole: unknown): string => (isJsonObject(whole) ? 'the response is an error' : 'the response is not a JSON object');

const failedProbe = (probe: Probe, status: number, says: string, fix: string | undefined): ProbeResult => ({
  probe,
  isGood: false,
  status,
  says,
  fix,
  models: undefined,
});

function probeFault(probe: Probe, error: unknown, mask: ProbeOptions['mask']): ProbeResult {
  if (error instanceof GatewayError) return failedProbe(probe, 0, oneLine(error.message, mask), error.hint);
  if (error instanceof FetchFault) return failedProbe(probe, 0, error.message, gatewayFaultFix(error.cause) ?? connectionFixes[error.kind]);
  return failedProbe(probe, 0, error instanceof Error ? oneLine(error.message, mask) : 'it failed', undefined);
}

const connectionFixes: Readonly<Record<FetchFault['kind'], string>> = {
  connection: 'check host, port and DNS, and that this machine may reach it',
  timeout: 'check firewalls in between, or allow more time with --timeout',
  'too-large': 'check the host: its responses do not match this provider type',
  refused: 'check the host and server.egress',
};

/** Masks first: the beginning of a secret that is cut off would not be recognized. */
export const oneLine = (text: string, mask: ProbeOptions['mask']): string => {
  const line = printable(withoutFullStop(mask(text).replaceAll(/\s+/g, ' ').trim()));
  return line.length > 200 ? `${line.slice(0, 199).toWellFormed()}…` : line;
};
