import type { ExplainedTarget } from '../../core/logs/explanation.ts';
import { shellQuote } from '../../core/logs/curl.ts';
import { placeholders } from '../../explain/dry-run/references.ts';

/** File that contains a body which is too long to be shown. */
export const bodyFile = 'body.json';

/** True for a body that the explanation has cut. */
export const isCut = ({ body }: ExplainedTarget): boolean => body?.endsWith('…') === true;

/** The upstream request as a shell command. Credentials are shell variables, so the text contains no secrets. */
export function curlText(target: ExplainedTarget): string {
  const { method, url, headers, credential_headers: credentials, body } = target;
  const parts = [
    `curl -X ${method ?? 'POST'} ${shellQuote(url ?? '')}`,
    ...headers.map(([name, value]) => `-H ${(credentials.includes(name) ? withVariables : shellQuote)(`${name}: ${value}`)}`),
  ];
  if (isCut(target)) parts.push(`--data-binary @${bodyFile}`);
  else if (body !== null && body !== '') parts.push(`--data-raw ${shellQuote(body)}`);
  return `${parts.join(' \\\n  ')}\n`;
}

const placeholderPattern = Object.values(placeholders)
  .map((text) => text.replaceAll(/[()]/g, String.raw`\$&`))
  .join('|');
const reference = new RegExp(String.raw`(\$\{(?:env|file):[^{}]*\}|${placeholderPattern})`);

/**
 * Quotes the text of a credential header, with its references as shell variables. Other texts may come from a client:
 * there, a reference would let the client read files and variables of whoever runs the command.
 */
function withVariables(text: string): string {
  return text
    .split(reference)
    .map((part, at) => (at % 2 === 0 ? shellQuote(part) : variable(part)))
    .filter((part) => part !== "''")
    .join('');
}

function variable(text: string): string {
  const env = /^\$\{env:([A-Za-z_]\w*)/.exec(text)?.[1];
  if (env !== undefined) return `"$${env}"`;
  const file = /^\$\{file:([^{}]+)\}$/.exec(text)?.[1];
  return file === undefined ? '"$CREDENTIAL"' : `"$(cat ${shellQuote(file)})"`;
}

/** References outside the credentials, which the command contains as they are. */
export const hasReferences = ({ url, headers, credential_headers: credentials, body }: ExplainedTarget): boolean =>
  [url ?? '', body ?? '', ...headers.flatMap(([name, value]) => (credentials.includes(name) ? [] : [value]))].some((text) =>
    /\$\{(?:env|file):/.test(text),
  );
