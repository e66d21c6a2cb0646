import { isWindowLimit } from '../../core/limits/caller-limits.ts';
import { isNearSecretName, isSecretName } from '../../core/secrets/credential-names.ts';
import { placeholderCredentials } from '../../core/http/headers.ts';
import type { Provider } from '../../core/provider.ts';
import { child, entriesOf, type Entry, type Node, type Path, traverse } from './node.ts';

/** Parts of the tree that are sent to providers unchanged: a field named `token` is not a secret there. */
const passThroughKeys: ReadonlySet<string> = new Set(['override_params', 'metadata', 'labels', 'query', 'replies']);

/** True for a key whose value must not be printed. */
export const isSecretKey = (key: string | number | undefined): boolean => typeof key === 'string' && isSecretName(key);

/** True for a header sent to a telemetry collector. Services choose the names, and most are keys. */
const isCollectorHeader = ([top, , part, ...rest]: Path): boolean => top === 'observability' && part === 'headers' && rest.length > 0;

/** True for a path whose value must not be printed. */
export const isSecretPath = (path: Path): boolean => isCollectorHeader(path) || path.some((step) => isSecretKey(step));

/** Visits every string at a position where a secret belongs. */
function visitSecrets(root: Node, visit: (node: Node & { kind: 'scalar' }, path: Path, entry: Entry) => void): void {
  traverse(root, (node, path, entry) => {
    const key = path.at(-1);
    if (typeof key === 'string' && path.length > 2 && passThroughKeys.has(key)) return false;
    const isSecret = isSecretKey(key) || isCollectorHeader(path);
    if (entry !== undefined && path.length > 2 && isSecret && node.kind === 'scalar' && typeof node.value === 'string')
      visit(node, path, entry);
    return true;
  });
}

/**
 * Visits every secret that is written in a file instead of a reference.
 * @param names public names, which are no secrets
 */
export function visitPlainSecrets(root: Node, names: ReadonlySet<string>, visit: (node: Node, value: string) => void): void {
  visitSecrets(root, (node) => {
    const { value } = node;
    if (node.resolved || typeof value !== 'string' || value === '' || node.text.includes('${')) return;
    if (!placeholderCredentials.has(value) && !names.has(value)) visit(node, value);
  });
}

/** `&sig=…` in a URL: users paste URLs from a provider's portal, whose query may contain keys and signatures. */
const urlQueryParameter = /([?&]([^=&#\s]+)=)([^&#\s]+)/g;

const isSecretQueryParameter = (name: string): boolean => isSecretKey(name) || /^(sig|signature|code|key|.*subscription-key)$/i.test(name);

/** In characters. Shorter values could occur in any text by chance. */
const minSecretLength = 8;

/** The password in a URL, or a user name without one: proxies accept a token in its place. */
const urlPassword = /(?<=:\/\/(?:\$\{[^{}\s]*\}|\$(?!\{)|[^/?#\s@:$])*:)[^/?#\s@]+(?=@)|(?<=\bhttps?:\/\/)[^/?#\s@:]{8,}(?=@)/g;

/** Passwords in URLs, and query values that are keys; empty for text without a URL. */
function secretsInUrl(text: string): string[] {
  if (!text.includes('://')) return [];
  const inQuery = [...text.matchAll(urlQueryParameter)].flatMap(([, , name = '', value = '']) =>
    isSecretQueryParameter(name) && value.length >= minSecretLength ? [value] : [],
  );
  return [...inQuery, ...[...text.matchAll(urlPassword)].flatMap(([value]) => (value.length >= 4 ? [value] : []))];
}

/** The text with passwords in URLs, and keys in their queries, masked. References stay. */
export const maskUrlSecrets = (text: string): string =>
  text.includes('://')
    ? text
        .replaceAll(urlQueryParameter, (whole, lead: string, name: string) => (isSecretQueryParameter(name) ? `${lead}…` : whole))
        .replaceAll(urlPassword, printablePassword)
    : text;

const printablePassword = (value: string): string => (value.includes('${') ? printableSecret(value) : '…');

/** Parts of the tree with addresses that may contain a password. */
const urlParts: ReadonlySet<unknown> = new Set(['server', 'providers', 'observability', 'logging']);

/** Secrets written in the files, including those with a misspelled key or a malformed value. */
export function literalSecrets(root: Node): string[] {
  const found: string[] = [];
  traverse(root, (node, path) => {
    const key = path.at(-1);
    if (typeof key === 'string' && path.length > 2 && passThroughKeys.has(key)) return false;
    const isSecret = isCollectorHeader(path) || path.slice(2).some((step) => typeof step === 'string' && isNearSecretName(step));
    if (!isSecret || node.kind !== 'scalar' || typeof node.value !== 'string') return true;
    if (node.value.length >= minSecretLength && !isWindowLimit(node.value)) found.push(node.value);
    return true;
  });
  traverse(root, (node, path) => {
    if (node.kind === 'scalar' && typeof node.value === 'string') found.push(...secretsInUrl(node.value));
    return path.length === 0 || urlParts.has(path[0]);
  });
  visitSecrets(root, (node) => {
    if (typeof node.value === 'string' && node.value !== '' && !placeholderCredentials.has(node.value)) found.push(node.value);
  });
  return found;
}

/** A comment of a line: a `#` at its start or behind a space. */
const comment = /(?:^|\s)#(.*)$/gm;

/** A value behind a name in a comment, without spaces and long enough to be a credential. */
const pairInComment = /(?<![\w-])([\w-]{1,64})["']?[ \t]*[:=][ \t]*["']?([^\s"'#,{}[\]]{16,})/g;

/** Credentials in comments: a setting that was switched off (`# api_key: …`), or an old value behind a new one. */
export function commentSecrets(text: string): string[] {
  return [...text.matchAll(comment)].flatMap(([, commentText = '']) =>
    [...commentText.matchAll(pairInComment)].flatMap(([, name = '', value = '']) =>
      isNearSecretName(name) && looksLikeCredential(value) ? [value] : [],
    ),
  );
}

/** Words, paths and addresses are no credentials. Masking them would make other texts unreadable. */
const looksLikeCredential = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value) && !/^[./~$]|:\/\//.test(value);

/**
 * Names that are shown in many places. Servers without keys often get one of them as key (`api_key: ollama`), and
 * masking it would be useless.
 */
export function publicNames(root: Node, providers: readonly Pick<Provider, 'type' | 'aliases'>[]): ReadonlySet<string> {
  const slugs = entriesOf(child(root, 'providers')).map(({ key }) => key);
  return new Set([...slugs, ...providers.flatMap(({ type, aliases }) => [type, ...aliases])]);
}

/** Printable form of a secret: its references, without the text around them and without their defaults. */
export function printableSecret(text: string): string {
  const references = [...text.matchAll(/\$\{(?:env|file):[^{}]*\}/g)].map(([reference]) => reference.replace(/:-.*\}$/, ':-…}'));
  return references.length === 0 ? '(set in the file, not shown)' : references.join(' … ');
}
