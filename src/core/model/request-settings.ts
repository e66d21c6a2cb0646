import { GatewayError } from '../error.ts';
import { fromHeader } from '../http/header-text.ts';
import type { HeaderBag } from '../http/headers.ts';
import { isJsonObject, type JsonObject } from '../json/merge.ts';
import type { CredentialOwner, Provider } from '../provider.ts';
import { tailNameAsSent } from '../text/header-name-as-sent.ts';
import { didYouMean } from '../text/nearest.ts';

/** Provider settings in the headers of a request. */
export interface SettingsFromHeaders {
  readonly settings: Readonly<Record<string, string>>;
  /** Header name, without prefix, of the first setting that affects host or path. */
  readonly hostHeader: string | undefined;
}

/**
 * Reads the headers of a provider's `requestSettings`; returns undefined if the request has none.
 *
 * @throws GatewayError `not_allowed` for a value that selects an identity of the machine, `invalid_header` for one that the
 * setting does not have
 */
export function settingsFromHeaders(headers: HeaderBag, provider: Provider): SettingsFromHeaders | undefined {
  let settings: Record<string, string> | undefined;
  let hostHeader: string | undefined;
  for (const { setting, headers: tails, shapesHost, ambient } of provider.entry.requestSettings) {
    for (const tail of tails) {
      const value = headers.tail(tail);
      if (value === undefined || value === '') continue;
      if (ambient?.includes(value) === true) throw ambientIdentityError(tailNameAsSent(headers, tail), tailNameAsSent(headers, tail));
      const values = schemaOf(provider, setting)?.['enum'];
      if (Array.isArray(values) && !values.includes(value))
        throw invalidValueError(tailNameAsSent(headers, tail), tail, value, values, ambient);
      settings ??= {};
      settings[setting] ??= fromHeader(value);
      if (shapesHost) hostHeader ??= tail;
    }
  }
  return settings === undefined ? undefined : { settings, hostHeader };
}

/**
 * Returns the name, without prefix, of a request header that may not be combined with a credential of the configuration
 * (host, path, deployment, account); undefined if there is none. Allocates nothing.
 */
export function restrictedHeaderIn(headers: HeaderBag, provider: Provider): string | undefined {
  for (const { headers: tails, shapesHost, choosesPart } of provider.entry.requestSettings) {
    if (!shapesHost && choosesPart !== true) continue;
    for (const tail of tails) if (headers.tail(tail) !== undefined) return tail;
  }
  return undefined;
}

/** Lower-case client headers that are not forwarded with a credential of the configuration, because they select a part of its account. */
export const withheldHeaders = ({ entry }: Provider, owner: CredentialOwner | undefined): readonly string[] =>
  (owner === 'catalog' ? entry.accountHeaders : undefined) ?? none;

const none: readonly string[] = Object.freeze([]);

/** True if a header of the request contains a secret of this provider, besides the headers for keys. */
export const sendsSecret = (headers: HeaderBag, provider: Provider): boolean =>
  secretHeaders(provider).some((tail) => (headers.tail(tail) ?? '') !== '');

/** Names, without prefix, of headers in which a request may send a secret of this provider. */
export const secretHeaders = (provider: Provider): readonly string[] =>
  provider.entry.requestSettings.flatMap(({ setting, headers }) => (isSecretSetting(provider, setting) ? headers : []));

/** True if the type's schema marks the setting as secret (`writeOnly`). */
export const isSecretSetting = (provider: Provider, setting: string): boolean => isMarked(provider, setting, 'writeOnly');

/** True for a secret, and for a setting that is useless without one (`x-credential`), such as the id of an access key. */
export const isCredentialSetting = (provider: Provider, setting: string): boolean =>
  isSecretSetting(provider, setting) || isMarked(provider, setting, 'x-credential');

const isMarked = (provider: Provider, setting: string, keyword: 'writeOnly' | 'x-credential'): boolean =>
  schemaOf(provider, setting)?.[keyword] === true;

function schemaOf({ entry }: Provider, setting: string): JsonObject | undefined {
  const { properties } = entry.settings;
  const schema = isJsonObject(properties) ? properties[setting] : undefined;
  return isJsonObject(schema) ? schema : undefined;
}

/** Error for a header whose value is not one of its setting's. */
function invalidValueError(
  header: string,
  param: string,
  value: string,
  values: readonly unknown[],
  ambient: readonly string[] = [],
): GatewayError {
  const known = values.map(String).filter((one) => !ambient.includes(one));
  return new GatewayError('invalid_header', {
    message: `"${value.slice(0, 40)}" is not a value of ${header}.${didYouMean(value, known)}`,
    param,
    hint: `Send one of ${known.join(', ')}.`,
  });
}

/** Error for a request that selects an identity of the machine. @param written as the request spells the setting */
export function ambientIdentityError(written: string, param: string): GatewayError {
  return new GatewayError('not_allowed', {
    message: `"${written}" requests the gateway's own identity, which only gateway.yaml may use.`,
    param,
    hint: 'Send your own credential, or name a configured provider.',
  });
}
