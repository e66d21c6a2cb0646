import type { ExplainRequest, Explanation } from '../../../../core/logs/explanation.ts';

/** Values of the form. */
export interface ExplainInput {
  readonly way: 'text' | 'body';
  readonly model: string;
  readonly user: string;
  readonly body: string;
  readonly path: string;
  readonly config: string;
  readonly key: string;
  /** One `name: value` per line. */
  readonly headers: string;
  /** By slug: a status as text, `timeout` or `reset`; empty if the provider responds. */
  readonly assume: Readonly<Record<string, string>>;
}

/** The problem of the input; null if it can be sent. */
export function problemOf({ way, body }: ExplainInput): string | null {
  if (way === 'text' || body.trim() === '') return null;
  try {
    JSON.parse(body);
    return null;
  } catch (error) {
    return `Not JSON: ${error instanceof Error ? error.message : 'it ends too early'}`;
  }
}

/** The problem of the headers; null if each line is valid. */
export function headerProblem({ headers }: ExplainInput): string | null {
  const wrong = linesIn(headers).find((line) => !/^\s*[\w!#$%&'*+.^`|~-]+\s*:/.test(line));
  return wrong === undefined ? null : `“${wrong.trim()}” is not a header: write name: value`;
}

/** True if no provider is called and the gateway itself does not respond. */
export const hasNoTarget = ({ targets, answer }: Explanation): boolean => targets.length === 0 && answer === null;

export function explainBody(input: ExplainInput): ExplainRequest {
  const { path, config, key } = input;
  const headers = { ...headersIn(input.headers), ...(config.trim() === '' ? {} : { 'x-gateway-config': config.trim() }) };
  const assume = Object.entries(input.assume).flatMap(([slug, said]) =>
    said === '' ? [] : [[slug, said === 'timeout' || said === 'reset' ? said : Number(said)] as const],
  );
  return {
    path: path.trim() === '' ? undefined : path.trim(),
    headers,
    body: input.way === 'body' ? input.body : bodyOf(input),
    key: key === '' ? undefined : key,
    assume: Object.fromEntries(assume),
  };
}

/** The user's text in the body format of each endpoint. */
function bodyOf({ path, model, user }: ExplainInput): Readonly<Record<string, unknown>> {
  const named = model.trim() === '' ? {} : { model: model.trim() };
  if (path.endsWith('/responses') || path.endsWith('/embeddings')) return { ...named, input: user };
  if (path.endsWith('/images/generations') || path === '/v1/completions') return { ...named, prompt: user };
  const messages = [{ role: 'user', content: user }];
  return path.endsWith('/messages') ? { ...named, max_tokens: 256, messages } : { ...named, messages };
}

const linesIn = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');

function headersIn(text: string): Record<string, string> {
  return Object.fromEntries(
    linesIn(text).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
}
