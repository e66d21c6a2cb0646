import { isPrivate } from '../../core/records/private-request.ts';
import type { BodyPolicy, LogRecord } from '../../core/records/record.ts';
import type { LogSettings } from '../../core/snapshot.ts';
import type { RequestContext } from '../request.ts';

/** What a record may keep of one request, and the setting that decided it. The setting explains why a body is missing. */
export interface Policy {
  readonly bodies: BodyPolicy;
  readonly because: string;
}

const order: readonly BodyPolicy[] = ['none', 'metadata', 'redacted', 'full'];

const isLower = (one: BodyPolicy, other: BodyPolicy): boolean => order.indexOf(one) < order.indexOf(other);

/** The policy of the configuration, lowered if the caller asks for less. */
export function policyOf(ctx: RequestContext): Policy {
  const { log } = ctx.snapshot;
  let policy: Policy = { bodies: log.bodies, because: 'logging.requests.bodies' };
  const lower = (bodies: BodyPolicy | undefined, because: string): void => {
    if (bodies !== undefined && isLower(bodies, policy.bodies)) policy = { bodies, because };
  };
  const { config, caller } = ctx.facts;
  const isInline = config?.name === 'inline';
  const ofConfig = config?.log?.bodies;
  if (ofConfig !== undefined && !isInline) policy = { bodies: ofConfig, because: `configs.${config?.name}.log.bodies` };
  const ofKey = caller.key?.log?.bodies;
  const because = `api_keys.${caller.key?.name}.log.bodies`;
  if (ofKey !== undefined && (ofConfig === undefined || isInline)) policy = { bodies: ofKey, because };
  else lower(ofKey, because);
  if (isInline && log.clientMayLower) lower(ofConfig, 'the config that the caller sent');
  if (ctx.headers.hasGateway) {
    lower(requestedPolicy(ctx), 'the caller sent x-gateway-log');
    if (isPrivate(ctx)) lower('metadata', 'the caller sent x-gateway-debug: false');
  }
  lower(log.read, 'logging.requests');
  return policy;
}

/** True when `x-gateway-log` has a valid value that is allowed to take effect. */
export const isLogHeaderApplied = (ctx: RequestContext): boolean => requestedPolicy(ctx) !== undefined;

/** The value of `x-gateway-log`, if clients may lower the policy. */
function requestedPolicy({ headers, snapshot }: RequestContext): BodyPolicy | undefined {
  const requested = headers.gateway('log')?.trim().toLowerCase();
  return snapshot.log.clientMayLower && (requested === 'none' || requested === 'metadata' || requested === 'redacted')
    ? requested
    : undefined;
}

/** Applies sampling once the outcome is known: bodies are kept for a share of the requests only. */
export function sampled(ctx: RequestContext, policy: Policy, { status, error }: Pick<LogRecord, 'status' | 'error'>): Policy {
  if (!isLower('metadata', policy.bodies)) return policy;
  const hasFailed = status >= 400 || error !== null;
  const { success, errors } = ctx.snapshot.log.sample;
  const share = hasFailed ? errors : success;
  return share >= 1 || samplingNumber(ctx.random) < share
    ? policy
    : { bodies: 'metadata', because: `logging.requests.sample.${hasFailed ? 'errors' : 'success'}` };
}

/** Derives an independent random number, because the leading digits already chose the target. */
const samplingNumber = (random: number): number => (random * 65_536) % 1;

/** Maximum bytes of a response that are kept for its record. */
export const maxRecordedBytes = ({ keepsBodies, maxBody }: LogSettings): number => (keepsBodies ? maxBody : 0);
