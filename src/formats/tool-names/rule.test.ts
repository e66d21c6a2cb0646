import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anthropicNames, geminiNames, openaiNames, toolNames, vertexNames } from './rule.ts';

const rules = [openaiNames, anthropicNames, geminiNames, vertexNames];
const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 200 }),
  fc.string({ unit: fc.constantFrom('a', 'Z', '7', '_', '-', '.', ':', ' ', 'é'), minLength: 1, maxLength: 140 }),
);
const toolsOf = (names: readonly string[]) => ({ tools: names.map((one) => ({ type: 'function', function: { name: one } })) });

it('toolNames gives every tool a unique, accepted and stable name', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), fc.constantFrom(...rules), (names, rule) => {
      const made = toolNames(toolsOf(names), rule);
      const sent = names.map((one) => made?.toService.get(one) ?? one);
      for (const one of sent) expect(one).toMatch(rule.accepts);
      expect(new Set(sent).size).toBe(names.length);
      expect(sent.map((one) => made?.toClient.get(one) ?? one)).toEqual(names);
      for (const [at, one] of names.entries()) expect(toolNames(toolsOf([one]), rule)?.toService.get(one) ?? one).toBe(sent[at]);
    }),
  );
});

it.each([
  ['that are accepted', { tools: [{ type: 'function', function: { name: 'get_weather' } }] }],
  ['of tools that the service defines', { tools: [{ type: 'bash_20250124', name: 'ba.sh' }] }],
  ['of a request without tools', { messages: [] }],
])('toolNames does not change names %s', (_, body) => expect(toolNames(body, openaiNames)).toBeUndefined());
