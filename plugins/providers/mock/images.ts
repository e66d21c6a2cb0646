import type { LocalAnswer } from '#core/provider.ts';
import { failure, named, type Question, streamed, tokensIn, whole } from './answer.ts';
import { badValue, refusal } from './problems.ts';

/** A grey picture of one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==';

/** Pictures from a prompt, whole and streamed. */
export const images = (asked: Question): LocalAnswer => failure(asked) ?? drawn(asked, 'image_generation');

/** Pictures from pictures: of a form, or named in a JSON body. */
export const edits = (asked: Question): LocalAnswer => withPicture(asked) ?? failure(asked) ?? drawn(asked, 'image_edit');

/** Variations: never streamed. */
export const variations = (asked: Question): LocalAnswer => withPicture(asked) ?? failure(asked) ?? pictures(asked);

function withPicture({ body, call }: Question): LocalAnswer | undefined {
  const given = call.form === undefined ? body['images'] : call.form.file;
  const isThere = Array.isArray(given) ? given.length > 0 : given !== undefined && call.form !== undefined;
  return isThere ? undefined : refusal(badValue('missing_required_parameter', 'image', "Missing required parameter: 'image'."), call.id);
}

function drawn(asked: Question, kind: 'image_generation' | 'image_edit'): LocalAnswer {
  const { body, call } = asked;
  if (body['stream'] !== true) return pictures(asked);
  const shared = { b64_json: png, created_at: call.createdAt, size: '1x1', quality: 'low', background: 'opaque', output_format: 'png' };
  return streamed(asked, [
    named({ type: `${kind}.partial_image`, partial_image_index: 0, ...shared }),
    named({ type: `${kind}.completed`, ...shared, usage: usage(asked) }),
  ]);
}

function pictures(asked: Question): LocalAnswer {
  const { body, call } = asked;
  const count = typeof body['n'] === 'number' && body['n'] >= 1 ? Math.min(Math.floor(body['n']), 10) : 1;
  const one = body['response_format'] === 'url' ? { url: `data:image/png;base64,${png}` } : { b64_json: png };
  return whole(asked, { created: call.createdAt, data: Array.from({ length: count }, () => one), usage: usage(asked) });
}

function usage({ body }: Question): unknown {
  const input = tokensIn(String(body['prompt'] ?? ''));
  const details = { text_tokens: input, image_tokens: 0 };
  return { input_tokens: input, output_tokens: 1, total_tokens: input + 1, input_tokens_details: details };
}
