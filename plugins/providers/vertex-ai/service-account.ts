import { parseJson } from '#core/json/scan.ts';
import { GatewayError } from '#core/error.ts';
import { isPlain } from '#core/json/merge.ts';

/** What a service account's key file says, as far as tokens need it. */
export interface ServiceAccount {
  readonly email: string;
  readonly privateKey: string;
  readonly keyId: string | undefined;
  readonly project: string | undefined;
  readonly tokenUri: string | undefined;
}

/** Reads the key file's text; a text says what is wrong with it, without quoting it. */
export function parseServiceAccount(text: string): ServiceAccount | string {
  let file: unknown;
  try {
    file = parseJson(text);
  } catch {
    return 'it is not JSON';
  }
  if (!isPlain(file)) return 'it is not a JSON object';
  const type = file['type'];
  if (type !== undefined && type !== 'service_account') return `it is a file of type "${String(type).slice(0, 40)}", not service_account`;
  const email = said(file['client_email']);
  const key = said(file['private_key']);
  if (email === undefined) return 'it has no client_email';
  if (key === undefined) return 'it has no private_key';
  return {
    email,
    // Keys that went through an environment variable have their line breaks spelled out.
    privateKey: key.replaceAll(String.raw`\n`, '\n'),
    keyId: said(file['private_key_id']),
    project: said(file['project_id']),
    tokenUri: said(file['token_uri']),
  };
}

/** @throws GatewayError `invalid_config` */
export function serviceAccountOf(text: string, param: string): ServiceAccount {
  const account = parseServiceAccount(text);
  if (typeof account !== 'string') return account;
  throw new GatewayError('invalid_config', {
    message: `The service account cannot be used: ${account}.`,
    param,
    hint: 'Use the whole JSON text of a key of type service_account.',
  });
}

const said = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
