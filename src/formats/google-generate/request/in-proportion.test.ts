import { expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import { toGenerateContent } from './index.ts';

const count = 100_000;
const each = (make: (at: number) => JsonObject): JsonObject[] => Array.from({ length: count }, (_, at) => make(at));
const call = (id: string | undefined, name: string): JsonObject => ({ id, function: { name, arguments: '{}' } });

/** A quadratic algorithm would need minutes for these. */
const steps: Readonly<Record<string, readonly [calls: JsonObject[], results: JsonObject[]]>> = {
  'in reverse order': [
    each((at) => call(`c${at}`, 'f')),
    each((at) => ({ role: 'tool', tool_call_id: `c${count - 1 - at}`, content: `${count - 1 - at}` })),
  ],
  'with one ID': [each(() => call('c', 'f')), each((at) => ({ role: 'tool', tool_call_id: 'c', content: `${at}` }))],
  'without ids': [each(() => call(undefined, 'f')), each((at) => ({ role: 'tool', content: `${at}` }))],
  'by name': [
    each((at) => call(undefined, `f${at}`)),
    each((at) => ({ role: 'tool', name: `f${count - 1 - at}`, content: `${count - 1 - at}` })),
  ],
};

it.each(Object.entries(steps))(
  'toGenerateContent matches many results to their calls in linear time: %s',
  (_name, [tool_calls, results]) => {
    const messages = [{ role: 'user', content: 'x' }, { role: 'assistant', tool_calls }, ...results];
    const settings = { model: 'gemini-3-flash', media: new Map(), strict: true, showsReasoning: false };
    const { body } = toGenerateContent({ messages }, settings, { surface: 'vertex', schemas: 'converted', signatureStandIn: true });
    const [, , { parts }] = body['contents'] as [unknown, unknown, { parts: { functionResponse: { response: { output: string } } }[] }];
    expect(parts.map(({ functionResponse }) => functionResponse.response.output)).toEqual(
      each((at) => ({ at })).map(({ at }) => String(at)),
    );
  },
);
