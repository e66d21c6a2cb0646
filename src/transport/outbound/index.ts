import { lookup } from 'node:dns';
import { isDeepStrictEqual } from 'node:util';
import { openFilesLimit } from '../../core/files/open-files.ts';
import type { Clock } from '../../core/context.ts';
import type { JwtSettings, JwtVerifier } from '../../core/secrets/jwt.ts';
import type { OAuthGrant } from '../../core/provider.ts';
import type { ProxySetting, ServerSettings, Trust } from '../../core/snapshot.ts';
import { createEgress, type Egress } from './egress/egress.ts';
import { awsContainer } from '../credentials/aws/container.ts';
import { awsInstance } from '../credentials/aws/instance.ts';
import { awsWebIdentity } from '../credentials/aws/web-identity.ts';
import { clientCredentials } from '../credentials/grants/client-credentials.ts';
import { federatedAssertion } from '../credentials/grants/federated-assertion.ts';
import { googleAmbient } from '../credentials/grants/google-ambient.ts';
import { instanceIdentity } from '../credentials/grants/instance-identity.ts';
import { jwtBearer } from '../credentials/grants/jwt-bearer.ts';
import type { GrantDeps } from '../credentials/grants/token-request.ts';
import { createJwt } from '../credentials/jwt.ts';
import { createMedia, type FetchMedia } from './media.ts';
import { NameResolver } from './dns/resolver.ts';
import { createCredentialCompiler, type CredentialCompiler } from '../credentials/sign.ts';
import { TokenError, type TokenFetcher, TokenSources } from '../credentials/token-source.ts';
import type { TimerWheel } from '../wire/timer-wheel.ts';
import { createUpstream, type Upstream } from './upstream.ts';

/** Everything that leaves the gateway: one set of pools and one set of address rules for all of it. */
export interface Outbound {
  readonly egress: Egress;
  readonly upstream: Upstream;
  readonly sign: CredentialCompiler;
  readonly media: FetchMedia;
  readonly jwt: (settings: JwtSettings) => JwtVerifier;
  /** After a reload: no request uses a connection that the new settings would not open. */
  reconfigured(before: EgressSettings, after: EgressSettings): void;
  /** Closes all connections, and cancels running name lookups. */
  close(): Promise<void>;
}

type EgressSettings = Pick<ServerSettings, 'egressAllow' | 'egressProxy'>;

export interface OutboundDeps {
  readonly clock: Clock;
  readonly wheel: TimerWheel;
  random(): number;
  /** `server.egress.allow` of the active configuration. */
  egressAllow(): readonly string[];
  /** The proxy of the active configuration; undefined if there is none. */
  readonly egressProxy?: (() => ProxySetting | undefined) | undefined;
  /** `server.fast_path` of the active configuration; the default is true. */
  readonly fastPath?: (() => boolean) | undefined;
  /** The environment of the process, which describes the identity of the machine. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A token could not be renewed; the old one is used until it expires. */
  onTokenFault(error: Error): void;
  /** The public keys of a tokens' issuer could not be fetched; the previous ones remain in use, if there are any. */
  onKeysFault(error: Error): void;
}

/** A request must not use the machine's identity or read its files. */
const operatorOnly: TokenFetcher = Object.freeze({
  fetch: () => Promise.reject(new TokenError("only providers in gateway.yaml may use the machine's own identity")),
});

export function createOutbound(from: OutboundDeps): Outbound {
  const { clock, wheel, random, egressAllow, env, onTokenFault, onKeysFault } = from;
  const names = new NameResolver({ monotonic: clock.monotonic, hostsFile: hostsFileIn(env), systemResolver: lookup });
  const egress = createEgress(egressAllow, names.lookup, from.egressProxy);
  const upstream = createUpstream({
    lookup: egress.lookup,
    proxy: egress.proxy,
    wheel,
    fastPath: from.fastPath,
    idleUpTo: idleUpTo(openFilesLimit()),
  });
  const deps = { upstream, checkEgress: egress.check, now: clock.now, monotonic: clock.monotonic, wait, env };
  const fetcher = (grant: OAuthGrant, trust: Trust): TokenFetcher => fetcherFor(grant, trust, deps);
  const tokens = new TokenSources(fetcher, { now: clock.now, monotonic: clock.monotonic, random, onFault: onTokenFault });
  return {
    egress,
    upstream,
    sign: createCredentialCompiler(tokens, clock.now),
    media: createMedia(deps),
    jwt: createJwt({ ...deps, onFault: onKeysFault }),
    reconfigured: (before, after) => {
      const isOtherProxy = !isDeepStrictEqual(before.egressProxy, after.egressProxy);
      const isShorterList = before.egressAllow.some((entry) => !after.egressAllow.includes(entry));
      // Hosts that requests choose are reached through the proxy if the list names them.
      const isOtherRoute = after.egressProxy !== undefined && !isDeepStrictEqual(before.egressAllow, after.egressAllow);
      if (isOtherProxy || isShorterList || isOtherRoute) upstream.renew('request');
      if (isOtherProxy) upstream.renew('operator');
    },
    close: async () => {
      names.close();
      await upstream.close();
    },
  };
}

/** A request may contain credentials. Only the operator's grants may read files or use the machine's identity. */
function fetcherFor(grant: OAuthGrant, trust: Trust, deps: GrantDeps): TokenFetcher {
  if (grant.kind === 'jwt-bearer') return jwtBearer(grant, trust, deps);
  if (grant.kind === 'client-credentials') return clientCredentials(grant, trust, deps);
  if (trust !== 'operator') return operatorOnly;
  switch (grant.kind) {
    case 'federated-assertion':
      return federatedAssertion(grant, deps);
    case 'instance-identity':
      return instanceIdentity(grant, deps);
    case 'google-ambient':
      return googleAmbient(grant, deps);
    case 'aws-web-identity':
      return awsWebIdentity(grant, deps);
    case 'aws-container':
      return awsContainer(deps);
    case 'aws-instance':
      return awsInstance(grant, deps);
    default:
      return grant satisfies never;
  }
}

/**
 * Number of connections to providers that leave a part of the open files to clients, and some to the gateway itself. More are
 * opened if requests need them, but do not stay idle.
 */
const idleUpTo = (openFiles = Number.POSITIVE_INFINITY): number => Math.max(minConnections, openFiles / 4 - ownFiles);

const minConnections = 16;
/** Of the log, the configuration, listeners and the runtime. */
const ownFiles = 64;

function hostsFileIn(env: OutboundDeps['env']): string {
  const windows = env['SystemRoot'];
  return windows === undefined ? '/etc/hosts' : `${windows}\\System32\\drivers\\etc\\hosts`;
}

/** Does not keep the process alive. */
function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
