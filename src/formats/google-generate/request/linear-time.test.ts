import { expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import { toGenerateContent } from './index.ts';

const count = 100_000;
const repeat = (create: (index: number) => JsonObject): JsonObject[] => Array.from({ length: count }, (_, index) => create(index));
const call = (id: string | undefined, name: string): JsonObject => ({ id, function: { name, arguments: '{}' } });

/** A quadratic algorithm would need minutes for these. */
const steps: Readonly<Record<string, readonly [calls: JsonObject[], results: JsonObject[]]>> = {
  'in reverse order': [
    repeat((index) => call(`c${index}`, 'f')),
    repeat((index) => ({ role: 'tool', tool_call_id: `c${count - 1 - index}`, content: `${count - 1 - index}` })),
  ],
  'with one ID': [repeat(() => call('c', 'f')), repeat((index) => ({ role: 'tool', tool_call_id: 'c', content: `${index}` }))],
  'without ids': [repeat(() => call(undefined, 'f')), repeat((index) => ({ role: 'tool', content: `${index}` }))],
  'by name': [
    repeat((index) => call(undefined, `f${index}`)),
    repeat((index) => ({ role: 'tool', name: `f${count - 1 - index}`, content: `${count - 1 - index}` })),
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
      repeat((index) => ({ at: index })).map(({ at: index }) => String(index)),
    );
  },
);
