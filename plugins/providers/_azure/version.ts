/** Which of the two URL forms is used, and what stands in the query. */
export interface Form {
  readonly form: 'v1' | 'dated';
  /** Value of `api-version`; undefined where none is sent. */
  readonly version: string | undefined;
}

const v1: Form = { form: 'v1', version: undefined };

/** True for everything an `api_version` may say. */
export const isApiVersion = (text: string): boolean => /^(?:\d{4}-\d{2}-\d{2}(?:-preview)?|v1|latest|preview)$/i.test(text.trim());

/**
 * The form that a configured version means on a base. Undefined where neither says anything: then the client's own
 * `api-version` decides. On a base that ends in `/v1` a dated value is dropped, because services there refuse it.
 */
export function formOf(version: string | undefined, onV1: boolean): Form | undefined {
  const asked = version?.trim() ?? '';
  const word = asked.toLowerCase();
  if (word === '') return onV1 ? v1 : undefined;
  if (word === 'v1' || word === 'latest') return v1;
  if (word === 'preview') return { form: 'v1', version: 'preview' };
  return onV1 ? v1 : { form: 'dated', version: asked };
}

/** The form that a client's own `api-version` asks for; v1 where it says nothing. */
export const formFor = (asked: string | undefined): Form => formOf(asked, false) ?? v1;
