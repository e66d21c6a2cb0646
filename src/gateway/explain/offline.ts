import type { Clock } from '../../core/context.ts';
import { Origins, type WrittenLocations } from '../../config/report/origins.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import { GatewayError } from '../../core/error.ts';
import type { MemoryReservation } from '../../core/memory/budget.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { ObjectOwners } from '../../core/objects/owners.ts';
import type { Media, MediaNeed } from '../../core/provider.ts';
import type { Trust } from '../../core/snapshot.ts';
import { referenceSigning, type References } from '../../explain/dry-run/references.ts';
import { typeOfUrl } from '../../formats/shared/media/mime.ts';
import type { Generation } from '../../pipeline/generation.ts';
import { isUnreadMark } from '../../pipeline/isolation/stored-files.ts';
import { createCredentialCompiler } from '../../transport/credentials/sign.ts';
import { TokenSources } from '../../transport/credentials/token-source.ts';
import { createEgress } from '../../transport/outbound/egress/egress.ts';
import { Generations } from '../generations.ts';
import type { Registry } from '../types.ts';

export interface OfflineRequest {
  readonly loaded: ValidConfig;
  /** What the files of `loaded` contain. */
  readonly written: WrittenLocations;
  readonly registry: Registry;
  readonly clock: Clock;
}

/** A generation that opens no connection, and what belongs to it. */
export interface OfflineGeneration {
  readonly generation: Generation;
  readonly origins: Origins;
  readonly references: References;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
  /** URLs of files that would have been downloaded for a request. */
  filesOf(hold: MemoryReservation): readonly string[];
}

/**
 * Sets up a loaded configuration without a network: credentials are references, and files are not downloaded. A serving
 * gateway is not affected.
 *
 * @throws Error when a plugin can't be set up
 */
export async function buildOffline({ loaded, written, registry, clock }: OfflineRequest): Promise<OfflineGeneration> {
  const { tree } = loaded;
  const origins = new Origins(written);
  const references = origins.references((path) => valueAt(tree, path));
  const tokens = new TokenSources(() => ({ fetch: refuse }), {
    now: clock.now,
    monotonic: clock.monotonic,
    random: () => 0,
    onFault: ignore,
  });
  /** URLs of the files that a request would have downloaded. */
  const named = new WeakMap<MemoryReservation, readonly string[]>();
  const generations = new Generations({
    registry,
    log: { warn: ignore, debug: ignore, request: ignore },
    outbound: {
      sign: referenceSigning(createCredentialCompiler(tokens, clock.now), references),
      media: (needs, hold) => {
        const urls = needs.map(({ url }) => url);
        named.set(hold, [...(named.get(hold) ?? []), ...urls]);
        return emptyMedia(needs);
      },
      jwt: () => ({ verify: refuseToken }),
    },
    owners: () => Promise.resolve(callerOwnsAll),
    spent: () => 0n,
    rates: { take: () => 0 },
    now: clock.now,
    monotonic: clock.monotonic,
  });
  const generation = await generations.build(loaded);
  const egress = createEgress(() => generation.snapshot.server.egressAllow, noLookup);
  return { generation, origins, references, checkEgress: egress.check, filesOf: (hold) => named.get(hold) ?? [] };
}

const ignore = (): void => undefined;

function refuse(): never {
  throw new Error('explaining opens no connection');
}

/** The keys that verify tokens would have to be fetched from the issuer. */
function refuseToken(): never {
  throw new GatewayError('not_allowed', {
    message: 'The token of the request is not checked, since explaining opens no connection.',
    hint: 'Leave the token out, and name an API key whose rules apply.',
  });
}

const noLookup: Parameters<typeof createEgress>[1] = (_name, _options, done) => {
  done(new Error('explaining opens no connection'), '', 4);
};

/** Any object belongs to the caller that names it, because only a serving gateway knows the owners. */
const callerOwnsAll: ObjectOwners = { ownerOf: (_account, id, caller) => (isUnreadMark(id) ? undefined : caller), bind: ignore };

/** Files that the gateway would download have no content here. */
function emptyMedia(needs: readonly MediaNeed[]): Promise<ReadonlyMap<string, Media>> {
  return Promise.resolve(new Map(needs.map(({ url }) => [url, { mimeType: typeOfUrl(url) ?? '', base64: '' }])));
}

/** Returns the value at a path in the notation of `formatPath`. */
function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const [, index, quoted, plain] of path.matchAll(/\[(\d+)\]|\.?("(?:[^"\\]|\\.)*")|\.?([\w$-]+)/g)) {
    const step = quoted === undefined ? plain : quoted.slice(1, -1).replaceAll(/\\(.)/g, '$1');
    if (index !== undefined) value = Array.isArray(value) ? (value[Number(index)] as unknown) : undefined;
    else value = isJsonObject(value) && step !== undefined && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}
