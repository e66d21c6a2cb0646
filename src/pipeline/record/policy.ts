import { booleanIn } from '../../core/text/boolean-word.ts';
import type { BodyPolicy, LogRecord } from '../../core/records/record.ts';
import type { LogSettings } from '../../core/snapshot.ts';
import type { RequestContext } from '../request.ts';

/** What a record may keep of one request, and who says so: for whoever misses a body. */
export interface Policy {
  readonly bodies: BodyPolicy;
  readonly because: string;
}

const order: readonly BodyPolicy[] = ['none', 'metadata', 'redacted', 'full'];

const isLower = (one: BodyPolicy, other: BodyPolicy): boolean => order.indexOf(one) < order.indexOf(other);

/** What the configuration says of this request, or less where the caller asks for it. */
export function policyOf(ctx: RequestContext): Policy {
  const { log } = ctx.snapshot;
  let policy: Policy = { bodies: log.bodies, because: 'logging.requests.bodies' };
  const lower = (bodies: BodyPolicy | undefined, because: string): void => {
    if (bodies !== undefined && isLower(bodies, policy.bodies)) policy = { bodies, because };
  };
  const { config, caller } = ctx.facts;
  const isSent = config?.name === 'inline';
  const ofConfig = config?.log?.bodies;
  if (ofConfig !== undefined && !isSent) policy = { bodies: ofConfig, because: `configs.${config?.name}.log.bodies` };
  const ofKey = caller.key?.log?.bodies;
  const because = `api_keys.${caller.key?.name}.log.bodies`;
  if (ofKey !== undefined && (ofConfig === undefined || isSent)) policy = { bodies: ofKey, because };
  else lower(ofKey, because);
  if (isSent) lower(ofConfig, 'the config that the caller sent');
  if (ctx.headers.hasGateway) {
    lower(askedFor(ctx), 'the caller sent x-gateway-log');
    if (isPrivate(ctx)) lower('metadata', 'the caller sent x-gateway-debug: false');
  }
  lower(log.read, 'logging.requests');
  return policy;
}

/** True where `x-gateway-log` says something that holds. */
export const lowers = (ctx: RequestContext): boolean => askedFor(ctx) !== undefined;

/** `x-gateway-log: metadata`, where clients may lower what is kept. */
function askedFor({ headers, snapshot }: RequestContext): BodyPolicy | undefined {
  const asked = headers.gateway('log')?.trim().toLowerCase();
  return snapshot.log.clientMayLower && (asked === 'none' || asked === 'metadata' || asked === 'redacted') ? asked : undefined;
}

/** `x-gateway-debug: false` keeps the bodies of one request out of the record. */
function isPrivate(ctx: RequestContext): boolean {
  const debug = ctx.headers.gateway('debug');
  return debug !== undefined && booleanIn(debug) === false;
}

/** The same after the request: bodies are kept of a share of them. */
export function sampled(ctx: RequestContext, policy: Policy, { status, error }: Pick<LogRecord, 'status' | 'error'>): Policy {
  if (!isLower('metadata', policy.bodies)) return policy;
  const hasFailed = status >= 400 || error !== null;
  const { success, errors } = ctx.snapshot.log.sample;
  const share = hasFailed ? errors : success;
  return share >= 1 || drawn(ctx.random) < share
    ? policy
    : { bodies: 'metadata', because: `logging.requests.sample.${hasFailed ? 'errors' : 'success'}` };
}

/** A number of its own: the first digits have chosen the target already. */
const drawn = (random: number): number => (random * 65_536) % 1;

/** Bytes of an answer that are kept until its record is made. */
export const keptOf = ({ keepsBodies, maxBody }: LogSettings): number => (keepsBodies ? maxBody : 0);
