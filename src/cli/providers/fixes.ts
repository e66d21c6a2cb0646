import { child, entriesOf, type Node } from '../../config/read/node.ts';
import { isSecretKey } from '../../config/read/secrets.ts';
import type { CatalogEntry } from './catalog.ts';
import type { Probed } from './probe.ts';

/** What to do about a failed probe, in one line: the type's own words first. */
export function fixFor(one: CatalogEntry, { status, fix, probe }: Probed): string | undefined {
  if (fix !== undefined) return fix.replace(/\.$/, '');
  switch (status) {
    case 401:
      return `check ${secretOf(one) ?? 'the credential'}: the service does not accept it`;
    case 403:
      return 'the credential is known but may not do this: give it the permission, or let this network in';
    case 404:
      return probe.proves === 'deployment'
        ? `check the deployment "${probe.model}" and its version`
        : 'check the host and the service behind it';
    case 429:
      return 'the credential is accepted, but its quota is used up: raise it or wait';
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return 'the service redirects requests, and the gateway does not follow redirects: check the host';
    default:
      return status >= 500 ? 'the service has a problem: try again later' : undefined;
  }
}

/** The first secret of an entry, as `api_key (${env:NAME})`. */
function secretOf({ written }: CatalogEntry): string | undefined {
  return written === undefined ? undefined : secretIn(written.value, '');
}

function secretIn(node: Node, path: string): string | undefined {
  for (const { key, value } of entriesOf(node)) {
    const name = path === '' ? key : `${path}.${key}`;
    if (value.kind === 'scalar' && isSecretKey(key)) {
      const reference = /\$\{(?:env|file):[^{}:]*/.exec(value.text)?.[0];
      return reference === undefined ? name : `${name} (${reference}})`;
    }
    const below = secretIn(child(node, key) ?? value, name);
    if (below !== undefined) return below;
  }
  return undefined;
}
