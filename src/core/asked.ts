import type { RequestBody } from './body.ts';

/** The model as the client wrote it in body, form or query; '' when it named none, or only behind the file of a form. */
export function askedModelOf(body: RequestBody, query: string): string {
  const named = body.kind === 'json' ? body.peek('model') : body.kind === 'form' ? body.fields.get('model') : undefined;
  if (typeof named === 'string') return named;
  if (body.kind === 'json' || !query.includes('model=')) return '';
  return new URLSearchParams(query).get('model') ?? '';
}

/** Fields of a form are texts. */
export function asksForStream(body: RequestBody, query: string): boolean {
  if (body.kind === 'json') return body.peek('stream') === true;
  if (body.kind === 'form' && body.fields.get('stream') === 'true') return true;
  return query.includes('stream=') && new URLSearchParams(query).get('stream') === 'true';
}
