import { expect, it } from 'vitest';
import { toConverse } from '../../src/formats/bedrock-converse/request/index.ts';
import { haveRecordings, recordings } from '../contract/recordings.ts';
import { skipping } from '../support/skipping.ts';
import { chatOf, type Json } from './converse-to-chat.ts';

/** Recorded requests of Converse, converted to chat completions and back, are unchanged. */

const exchanges = recordings(['bedrock']).filter(
  ({ api, request, response }) => api.startsWith('converse') && response.status === 200 && request.body !== undefined,
);

const modelOf = (url: string): string => decodeURIComponent(/\/model\/([^/]+)\//.exec(url)?.[1] ?? '');

const empty: ReadonlySet<string> = new Set(['system', 'inferenceConfig', 'additionalModelRequestFields']);

/** Removes what has no meaning or is converted to something equivalent. */
function plain(body: Json): unknown {
  return JSON.parse(
    JSON.stringify(body, (key, value: unknown) => {
      if (empty.has(key) && Object.keys(value as object).length === 0) return undefined;
      if (key === 'status' && value === 'success') return undefined;
      // One client sent the media type as format.
      if (key === 'format' && value === 'video/mp4') return 'mp4';
      if (key === 'toolChoice' && Object.keys(value as object)[0] === 'auto') return undefined;
      // The API does not document underscores as allowed characters.
      if (key === 'name' && value === 'company_policy') return 'company policy';
      // Chat completions have results as text.
      if (key === 'content' && Array.isArray(value))
        return value.map((one: Json) => ('json' in one ? { text: JSON.stringify(one['json']) } : one));
      return value;
    }),
  );
}

it.skipIf(skipping(haveRecordings ? undefined : '../shared/data/recorded is absent')).each(exchanges.map((one) => [one.id, one] as const))(
  'converts the recorded Converse request %s without loss',
  (_, { request }) => {
    const body = request.body as Json;
    const model = modelOf(request.url);
    const { body: made, dropped } = toConverse(chatOf(body), { model, foundationModel: undefined }, { media: new Map() });
    expect(plain(made)).toEqual(plain(body));
    expect(dropped).toEqual([]);
  },
);
