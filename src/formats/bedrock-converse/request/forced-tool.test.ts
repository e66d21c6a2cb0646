import { expect, it } from 'vitest';
import { toConverse } from './index.ts';

const schema = { type: 'object', properties: { a: { type: 'integer' } } };
const response_format = { type: 'json_schema', json_schema: { name: 'o', schema } };
const tool = (name: string) => ({ type: 'function', function: { name } });
const forced = { type: 'function', function: { name: 'f' } };

function convert(model: string, body: object) {
  const converted = toConverse(
    { messages: [{ role: 'user', content: 'x' }], ...body },
    { model, foundationModel: undefined },
    { media: new Map() },
  );
  const config = converted.body['toolConfig'] as { tools: { toolSpec: { name: string } }[]; toolChoice?: object } | undefined;
  return {
    system: JSON.stringify(converted.body['system'] ?? ''),
    tools: config?.tools.map(({ toolSpec }) => toolSpec.name),
    choice: config?.toolChoice,
    dropped: converted.dropped.map(({ param }) => param),
  };
}

it.each(['meta.llama3-3-70b-instruct-v1:0', 'cohere.command-r-plus-v1:0', 'ai21.jamba-1-5-large-v1:0', 'us.deepseek.r1-v1:0'])(
  'models of vendors without forced tools get a schema as an instruction: %s',
  (model) => {
    for (const tools of [undefined, [tool('f')]]) {
      const { system, ...sent } = convert(model, { response_format, ...(tools === undefined ? {} : { tools }) });
      expect(sent).toEqual({ tools: tools === undefined ? undefined : ['f'], choice: undefined, dropped: ['response_format.json_schema'] });
      expect(system).toContain('integer');
    }
  },
);

it.each<[string, object, object, string[]]>([
  ['amazon.nova-pro-v1:0', { response_format }, { tool: { name: 'gateway_json_answer' } }, []],
  ['mistral.mistral-large-2402-v1:0', { response_format }, { any: {} }, []],
  ['mistral.mistral-large-2402-v1:0', { tools: [tool('f')], tool_choice: forced }, { any: {} }, []],
  ['mistral.mistral-large-2402-v1:0', { tools: [tool('f'), tool('g')], tool_choice: forced }, { any: {} }, ['tool_choice']],
  ['anthropic.claude-3-haiku-20240307-v1:0', { tools: [tool('f'), tool('g')], tool_choice: forced }, { tool: { name: 'f' } }, []],
])('%s is forced to call a tool in the form that Bedrock accepts for it', (model, body, choice, dropped) => {
  expect(convert(model, body)).toMatchObject({ choice, dropped });
});
