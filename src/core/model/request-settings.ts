import { GatewayError } from '../error.ts';
import type { HeaderBag } from '../http/headers.ts';
import { isPlain } from '../json/merge.ts';
import type { CredentialOwner, Provider } from '../provider.ts';
import { spelledTail } from '../text/header-spelling.ts';

/** Settings of a provider that a request contains in its headers. */
export interface SentSettings {
  readonly settings: Readonly<Record<string, string>>;
  /** Header tail of the first one that shapes host or path. */
  readonly shaping: string | undefined;
}

/**
 * Reads the headers that a provider's `requestSettings` name; undefined when the request has none.
 * @throws GatewayError `not_allowed` for a value that asks for an identity of the machine
 */
export function settingsIn(headers: HeaderBag, provider: Provider): SentSettings | undefined {
  let settings: Record<string, string> | undefined;
  let shaping: string | undefined;
  for (const { setting, headers: tails, shapesHost, ambient } of provider.entry.requestSettings) {
    for (const tail of tails) {
      const value = headers.tail(tail);
      if (value === undefined || value === '') continue;
      if (ambient?.includes(value) === true) throw ambientRefused(spelledTail(headers, tail), spelledTail(headers, tail));
      settings ??= {};
      settings[setting] ??= value;
      if (shapesHost) shaping ??= tail;
    }
  }
  return settings === undefined ? undefined : { settings, shaping };
}

/**
 * The header tail of a setting that only the operator may choose beside the operator's credential (host, path, deployment,
 * account), where the request sends one. Allocates nothing.
 */
export function shapingIn(headers: HeaderBag, provider: Provider): string | undefined {
  for (const { headers: tails, shapesHost, choosesPart } of provider.entry.requestSettings) {
    if (!shapesHost && choosesPart !== true) continue;
    for (const tail of tails) if (headers.tail(tail) !== undefined) return tail;
  }
  return undefined;
}

/** The caller's headers that don't go along with a credential of the operator, in lower case: they choose what of its account is used. */
export const withheldFrom = ({ entry }: Provider, owner: CredentialOwner | undefined): readonly string[] =>
  (owner === 'catalog' ? entry.accountHeaders : undefined) ?? none;

const none: readonly string[] = Object.freeze([]);

/** True when a header of the request holds a secret of this provider, beside those that hold keys. */
export const sendsSecret = (headers: HeaderBag, provider: Provider): boolean =>
  secretTails(provider).some((tail) => (headers.tail(tail) ?? '') !== '');

/** Tails of the headers in which a request may send a secret of this provider. */
export const secretTails = (provider: Provider): readonly string[] =>
  provider.entry.requestSettings.flatMap(({ setting, headers }) => (isSecretSetting(provider, setting) ? headers : []));

/** The schema of a type marks its secrets `writeOnly`. */
export function isSecretSetting(provider: Provider, setting: string): boolean {
  const { properties } = provider.entry.settings;
  const schema = isPlain(properties) ? properties[setting] : undefined;
  return isPlain(schema) && schema['writeOnly'] === true;
}

/** A request asks for an identity of the machine. @param written as the request spells the setting */
export function ambientRefused(written: string, param: string): GatewayError {
  return new GatewayError('not_allowed', {
    message: `"${written}" requests the gateway's own identity, which only gateway.yaml may use.`,
    param,
    hint: 'Send your own credential, or name a configured provider.',
  });
}
