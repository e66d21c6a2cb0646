import type { Clock } from '../core/clock.ts';
import { createEgress, type Egress } from './egress.ts';
import { googleAmbient } from './grants/google-ambient.ts';
import { jwtBearer } from './grants/jwt-bearer.ts';
import { createMedia, type FetchMedia } from './media.ts';
import { createSigning, type Signing } from './sign.ts';
import { TokenSources } from './token-source.ts';
import { createUpstream, type Upstream } from './upstream.ts';

/** Everything that leaves the gateway: one set of pools and one set of address rules for all of it. */
export interface Outbound {
  readonly egress: Egress;
  readonly upstream: Upstream;
  readonly sign: Signing;
  readonly media: FetchMedia;
}

export interface OutboundDeps {
  readonly clock: Clock;
  random(): number;
  /** `server.egress.allow` of the configuration that serves. */
  egressAllow(): readonly string[];
  /** A token could not be renewed; the old one serves until it ends. */
  onTokenFault(error: Error): void;
}

export function createOutbound({ clock, random, egressAllow, onTokenFault }: OutboundDeps): Outbound {
  const egress = createEgress(egressAllow);
  const upstream = createUpstream({ lookup: egress.lookup });
  const deps = { upstream, checkEgress: egress.check, now: clock.now };
  const tokens = new TokenSources(
    (grant, trust) => (grant.kind === 'jwt-bearer' ? jwtBearer(grant, trust, deps) : googleAmbient(grant, deps)),
    { now: clock.now, random, onFault: onTokenFault },
  );
  return { egress, upstream, sign: createSigning(tokens), media: createMedia(deps) };
}
