import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anthropicNames, geminiNames, openaiNames, toolNames, vertexNames } from './rule.ts';

const rules = [openaiNames, anthropicNames, geminiNames, vertexNames];
const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 200 }),
  fc.string({ unit: fc.constantFrom('a', 'Z', '7', '_', '-', '.', ':', ' ', 'é'), minLength: 1, maxLength: 140 }),
);
const toolsOf = (names: readonly string[]) => ({ tools: names.map((name) => ({ type: 'function', function: { name } })) });

it('toolNames gives every tool a unique, accepted and stable name', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), fc.constantFrom(...rules), (names, rule) => {
      const made = toolNames(toolsOf(names), rule);
      const sent = names.map((name) => made?.toService.get(name) ?? name);
      for (const name of sent) expect(name).toMatch(rule.accepts);
      expect(new Set(sent).size).toBe(names.length);
      expect(sent.map((name) => made?.toClient.get(name) ?? name)).toEqual(names);
      for (const [index, name] of names.entries()) expect(toolNames(toolsOf([name]), rule)?.toService.get(name) ?? name).toBe(sent[index]);
    }),
  );
});

it.each([
  ['that are accepted', { tools: [{ type: 'function', function: { name: 'get_weather' } }] }],
  ['of tools that the service defines', { tools: [{ type: 'bash_20250124', name: 'ba.sh' }] }],
  ['of a request without tools', { messages: [] }],
])('toolNames does not change names %s', (_, body) => expect(toolNames(body, openaiNames)).toBeUndefined());
