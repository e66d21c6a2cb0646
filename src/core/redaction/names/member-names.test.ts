import { describe, expect, it } from 'vitest';
import { isMaskedMember, mayBeMasked, namesSecret } from './member-names.ts';

const keys = [
  'api',
  'access',
  'account',
  'app',
  'application',
  'auth',
  'encryption',
  'master',
  'private',
  'secret',
  'signing',
  'subscription',
];
const tokens = 'access api auth authorization bearer bot github gitlab hf id refresh sas security session slack'.split(' ');
const secretNames = [
  'secret',
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'passwort',
  'kennwort',
  'senha',
  'contrasena',
  'contraseña',
  'mot_de_passe',
  'authorization',
  'service_account_json',
  'client_assertion',
  'pwd',
  'cookie',
];
const names = [
  ...secretNames,
  ...keys.map((name) => `${name}_key`),
  ...tokens.map((name) => `${name}_token`),
  'client_secret',
  'docker_config_json',
  'db_password',
  'my_pwd',
  'set_cookie',
  'aws_secret_access_key',
  'x_api_key',
  'my_auth_token',
];
const lists = ['logprobs', 'logprobs_result', 'top_logprobs'];

/** Spellings of a name in APIs of different languages. */
const spellings = (name: string): readonly string[] => [
  name,
  name.toUpperCase(),
  name.replaceAll('_', '-'),
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  `${name}_`,
  `${name}__`,
  `${name}--`,
];
const quote = 0x22;
const bracket = 0x5b;

describe('member names', () => {
  it.each(names)('%s is masked as a secret in any spelling', (name) => {
    for (const spelling of spellings(name))
      expect([spelling, isMaskedMember(spelling, quote), mayBeMasked(spelling, spelling.length)]).toEqual([spelling, true, true]);
  });

  it.each(lists)('%s is masked for a list of tokens and not for a string', (name) => {
    for (const spelling of spellings(name)) {
      expect([spelling, isMaskedMember(spelling, bracket), mayBeMasked(spelling, spelling.length)]).toEqual([spelling, true, true]);
      expect(isMaskedMember(spelling, quote)).toBe(false);
    }
  });

  it.each(['key', 'KEY', 'token', 'Token'])('%s is masked although it is not certain to be a secret', (name) => {
    expect([namesSecret(name), isMaskedMember(name, quote), mayBeMasked(name, name.length)]).toEqual([false, true, true]);
    expect(isMaskedMember(name, bracket)).toBe(true);
  });

  it.each(['description', 'response', 'max_tokens', 'gettoken', 'kid', 'keyboard', 'secrets_of', 'monkey', 'turnkey_', 'tokens', 'keys'])(
    '%s is not masked as a secret',
    (name) => {
      for (const first of [quote, bracket]) expect(isMaskedMember(name, first)).toBe(false);
    },
  );

  it.each(['description', 'response', 'role', 'content', 'model', 'type', 'id', 'name', 'text', 'messages', 'function'])(
    '%s is excluded by its last letters',
    (name) => {
      expect(mayBeMasked(name, name.length)).toBe(false);
    },
  );
});
