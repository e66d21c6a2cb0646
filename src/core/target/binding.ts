import type { GatewayError } from '../error.ts';
import type { HeaderPairs } from '../http/headers.ts';
import type { CallerLimits } from '../limits/caller-limits.ts';
import type { JsonObject } from '../json/merge.ts';
import type { CommonSettings, CredentialOwner, Deployment } from '../provider/entry.ts';
import type { UpstreamRequest } from '../provider/call.ts';
import type { Provider } from '../provider.ts';
import type { SecretVariants } from '../secrets/redactor.ts';
import type { PartialTimeouts } from './timeouts.ts';

/** A provider of the configuration (or a virtual key for it, or a direct choice), with its plugin, settings and credential. */
export interface ProviderBinding {
  /** Slug as clients write it; the type in direct mode. */
  readonly slug: string;
  /** Name of the virtual key, if one was used. */
  readonly virtualKey: string | undefined;
  readonly provider: Provider;
  readonly settings: CommonSettings & JsonObject;
  /** `catalog`: signed with the credential of the configuration; `caller`: with the credential in the request. */
  readonly owner: CredentialOwner;
  /** Origin of its host: the file (used as written) or a request (egress rules apply). */
  readonly trust: Trust;
  /** Hosts to which the catalog's credential may be sent although the request chose them; patterns of `allow_custom_host`. */
  allowsHost(url: URL): boolean;
  allowsModel(model: string): boolean;
  /** Names in the `models:` list that are not patterns, for `/v1/models`. */
  readonly models?: readonly string[];
  readonly timeouts: PartialTimeouts;
  /** Set if the provider is incomplete (a secret is missing, `enabled: false`): requests to it fail with this error. */
  readonly unusable: GatewayError | undefined;
  credential(deployment: Deployment | undefined): CredentialRef;
  /** Present if `owner` is `caller`: returns the same binding, signed with the credential in the request. */
  forCaller?(key: string | undefined): ProviderBinding;
  /** Objects created through it belong to the gateway key that created them. */
  readonly isolate?: boolean;
  /** Of the virtual key. */
  readonly limits?: CallerLimits | undefined;
  /** Metadata of the virtual key, added to the record. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Origin of a host: one from the configuration is used as written, one from a request is checked against the egress rules. */
export type Trust = 'operator' | 'request';

/** A compiled credential. */
export interface CredentialRef {
  readonly owner: CredentialOwner;
  /** Path of the setting that contains it (`providers.main.api_key`), for error messages. */
  readonly setting?: string;
  /** Returns the headers that sign this request; synchronously unless something must be fetched. */
  headers(request: UpstreamRequest): HeaderPairs | Promise<HeaderPairs>;
  /**
   * Called after the provider rejected these headers: discards a cached token contained in them, or corrects their time.
   * Returns true if another attempt may sign differently.
   *
   * @param body of the response; undefined if it is not known
   */
  evict?(used: HeaderPairs, body: Buffer | undefined): boolean;
  /** True for a response other than 401 that also means a rejected credential. */
  isRefused?(status: number, body: Buffer): boolean;
  /** Returns the secrets in these headers, which must be masked in the response. */
  secrets?(used: HeaderPairs): SecretVariants | undefined;
}
