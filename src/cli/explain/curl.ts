import type { ExplainedTarget } from '../../core/logs/explanation.ts';
import { shellQuoted } from '../../core/logs/curl.ts';

/** The upstream request as a shell command. Credentials are shell variables, so the text contains no secrets. */
export function curlText({ method, url, headers, body }: ExplainedTarget): string {
  const parts = [
    `curl -X ${method ?? 'POST'} ${quoted(url ?? '')}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
  ];
  if (body !== null && body !== '') parts.push(`--data-raw ${quoted(body)}`);
  return `${parts.join(' \\\n  ')}\n`;
}

/** Quotes text for a shell in single quotes, and references in it in double quotes. */
function quoted(text: string): string {
  return (
    text
      .split(
        /(\$\{(?:env|file):[^{}]*\}|\([^()]*not fetched\)|\((?:the caller's own|made for each request|written in the file, not shown)\))/,
      )
      .map((part, at) => (at % 2 === 0 ? shellQuoted(part) : variable(part)))
      .filter((part) => part !== "''")
      .join('') || "''"
  );
}

function variable(reference: string): string {
  const env = /^\$\{env:([A-Za-z_]\w*)/.exec(reference)?.[1];
  if (env !== undefined) return `"$${env}"`;
  const file = /^\$\{file:([^{}]+)\}$/.exec(reference)?.[1];
  return file === undefined ? '"$CREDENTIAL"' : `"$(cat ${shellQuoted(file)})"`;
}
