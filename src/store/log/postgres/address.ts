import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { percentDecoded } from '../../../core/http/query.ts';

/** The address of a server, parsed from its URL. */
export interface ServerAddress {
  /** Display name without credentials: `postgres db.internal/logs`. */
  readonly kind: string;
  /** Without the TLS parameters, which are in `ssl`. */
  readonly connectionString: string;
  readonly ssl: ConnectionOptions | false;
  /** Secrets of the URL, which no message may contain. */
  readonly secrets: readonly string[];
}

/** Minimum characters of a password that is masked. A shorter one would occur in every message. */
const minSecretLength = 4;

const tlsParameters = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat', 'sslnegotiation'];

/**
 * Parses `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=/ca.pem`. The modes are those of
 * other Postgres clients: `disable` (the default), `require` (encrypted without verification), `verify-ca`,
 * `verify-full`.
 *
 * @throws Error that does not contain the URL
 */
export function parseAddress(url: string): ServerAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^postgres(?:ql)?:$/.test(parsed.protocol)) {
    throw new Error(
      'the URL of the request log is not valid: write postgres://user:password@host:port/database, or postgres:///database?host=/folder/of/socket',
    );
  }
  const host = parsed.hostname || parsed.searchParams.get('host') || 'localhost';
  const user = decode(parsed.username, 'user name');
  decode(parsed.password, 'password');
  const database = decode(parsed.pathname.slice(1), 'database name') || user || 'postgres';
  const secrets = [parsed.password, parsed.searchParams.get('password') ?? ''].flatMap((secret) => [secret, percentDecoded(secret)]);
  const ssl = tlsOptionsOf(parsed.searchParams);
  for (const name of tlsParameters) parsed.searchParams.delete(name);
  return {
    kind: `postgres ${host}${parsed.port === '' || parsed.port === '5432' ? '' : `:${parsed.port}`}/${database}`,
    connectionString: parsed.href,
    ssl,
    secrets: [...new Set(secrets)].filter((secret) => secret.length >= minSecretLength),
  };
}

/** @throws Error that does not contain the text, because `pg` would throw one without an explanation */
function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`the ${what} in the URL of the request log has an invalid "%": write %25 for a percent sign`);
  }
}

function tlsOptionsOf(parameters: URLSearchParams): ConnectionOptions | false {
  const mode = parameters.get('sslmode') ?? (parameters.get('ssl') === 'true' ? 'verify-full' : 'disable');
  if (mode === 'disable' || mode === 'allow') return false;
  const file = (name: string): string | undefined => {
    const path = parameters.get(name);
    return path === null ? undefined : readParameterFile(name, path);
  };
  const [ca, cert, key] = [file('sslrootcert'), file('sslcert'), file('sslkey')];
  const files = { ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  switch (mode) {
    case 'prefer':
    case 'require':
      return { ...files, rejectUnauthorized: false };
    case 'verify-ca':
      return { ...files, checkServerIdentity: () => undefined };
    case 'verify-full':
      return files;
    default:
      throw new Error(
        `sslmode "${mode.slice(0, 20)}" in the URL of the request log is not known: use disable, require, verify-ca or verify-full`,
      );
  }
}

function readParameterFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`${name} of the URL of the request log cannot be read: ${(cause as Error).message}`, { cause });
  }
}
