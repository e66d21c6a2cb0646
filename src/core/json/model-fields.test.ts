import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonBody } from './body.ts';
import { modelsNamedIn, modelsNamedInPart, modelsNamedInText, plainName } from './model-fields.ts';

const modelNames = (text: string) => modelsNamedIn(JsonBody.from(Buffer.from(text, 'utf8'))).map(({ name, field }) => [field, name]);

describe('modelsNamedIn', () => {
  it.each<[string, readonly (readonly [string, string | undefined])[]]>([
    ['{"model":"a","messages":[{"model":"b"}]}', []],
    ['{"Model":"b"}', [['Model', 'b']]],
    [
      '{"models":["a","b"]}',
      [
        ['models[0]', 'a'],
        ['models[1]', 'b'],
      ],
    ],
    ['{"models":[{"id":"a"}]}', [['models[0]', undefined]]],
    ['{"model":7}', [['model', undefined]]],
    ['{"model":null}', []],
    ['{"tools":[{"type":"image_generation"}]}', [['tools[0].model', undefined]]],
    ['{"tools":[{"type":"image_generation","model":"b"}]}', [['tools[0].model', 'b']]],
    ['{"tools":[{"type":"image_generation","model":null}]}', [['tools[0].model', undefined]]],
    [
      '{"tools":[{"type":"image_generation","model":"b","Model":""}]}',
      [
        ['tools[0].model', 'b'],
        ['tools[0].Model', ''],
        ['tools[0].model', undefined],
      ],
    ],
    ['{"tools":[{"type":"s:advisor","parameters":{"model":"b"}}]}', [['tools[0].parameters.model', 'b']]],
    ['{"tools":[{"parameters":{"model":"b"},"type":"s:advisor"}]}', [['tools[0].parameters.model', 'b']]],
    ['{"tools":[{"type":"function","parameters":{"model":"b"},"type":"s:other"}]}', [['tools[0].parameters.model', 'b']]],
    [
      '{"tools":[{"parameters":{"model":"b"},"parameters":{"model":"c"},"type":"s:advisor"}]}',
      [
        ['tools[0].parameters.model', 'b'],
        ['tools[0].parameters.model', 'c'],
        ['tools[0].parameters.model', undefined],
      ],
    ],
    [
      '{"tools":[{"type":"s:image_generation","model":"b"}]}',
      [
        ['tools[0].model', 'b'],
        ['tools[0].parameters.model', undefined],
      ],
    ],
    ['{"tools":[{"type":"s:subagent"}]}', [['tools[0].parameters.model', undefined]]],
    [
      '{"tools":[{"type":"s:fusion","parameters":{"model":"b","analysis_models":["c"]}}]}',
      [
        ['tools[0].parameters.model', 'b'],
        ['tools[0].parameters.analysis_models[0]', 'c'],
      ],
    ],
    [
      '{"tools":[{"type":"s:fusion","parameters":{"model":"b","analysis_models":[ ]}}]}',
      [
        ['tools[0].parameters.model', 'b'],
        ['tools[0].parameters.analysis_models', undefined],
      ],
    ],
    [
      '{"tools":[{"type":"s:advisor","parameters":{"model":"b","tools":[{"type":"s:x","parameters":{"model":"c"}}]}}]}',
      [
        ['tools[0].parameters.model', 'b'],
        ['tools[0].parameters.tools[0].parameters.model', 'c'],
      ],
    ],
    ['{"tools":[{"type":"s:web_search","parameters":{"engine":"b"}},{"type":"s:web_fetch","parameters":{"engine":"b"}}]}', []],
    ['{"tools":[{"type":"function","parameters":{"properties":{"model":{"const":"b"}}}},{"parameters":{"model":"b"}}]}', []],
    ['{"plugins":[{"id":"fusion"}]}', [['plugins[0].model', undefined]]],
    ['{"plugins":[{"id":"web","max_results":3}]}', []],
    ['{"input":[{"type":"x","tools":[{"type":"y","model":"b"}]}]}', [['input[0].tools[0].model', 'b']]],
    ['{"input":["x",{"t\\u006fols":[{"type":"image_generation"}]}]}', [['input[1].tools[0].model', undefined]]],
    ['{"input":[{"model":"b","content":"the tools","metadata":{"tools":[{"model":"b"}]}}]}', []],
    ['{"tools":[{"type":"function","function":{"name":"model","parameters":{"properties":{"model":{"const":"b"}}}}}]}', []],
    ['{"response_format":{"json_schema":{"schema":{"properties":{"model":{"type":"string"}}}}}}', []],
    ['{"input":"text","prompt":["x"],"metadata":{"model":"b"}}', []],
    ['{"chat_template_kwargs":{"model_identity":"b"},"guided_json":{"properties":{"model":{"type":"string"}}}}', []],
    ['{"structured_outputs":{"json":{"properties":{"model":{"type":"string"}}}},"json_schema":{"model":{}}}', []],
    [
      '{"extra_body":{"guided_json":{"model":"b"},"structured_outputs":{"json":{"model":"b"},"model":"c"}}}',
      [['extra_body.structured_outputs.model', 'c']],
    ],
    ['{"input":{"model":"b"}}', [['input.model', 'b']]],
    ['{"route":null,"fallbacks":[],"preset":""}', []],
    [
      '{"engine":"b","engine_id":"c","my_engine":"d"}',
      [
        ['engine', 'b'],
        ['engine_id', 'c'],
      ],
    ],
    [
      '{"deploymentName":"b","azure_deployment":"c","a_deployment_b":"d"}',
      [
        ['deploymentName', 'b'],
        ['azure_deployment', 'c'],
      ],
    ],
    ['{"route":false,"preset":[ ],"fallback": "" ,"fallbacks" : null }', []],
    ['{"route":true}', [['route', undefined]]],
    ['{"a":{"preset":" "}}', [['a.preset', undefined]]],
    ['{"a":{"fallbacks":[0]}}', [['a.fallbacks', undefined]]],
    ['{"a":{"fallbacks":[[]]}}', [['a.fallbacks', undefined]]],
    ['{"a":{"route":{}}}', [['a.route', undefined]]],
    ['{"model":{"name":"b"}}', [['model', undefined]]],
    ['{"models":{"name":"b"}}', [['models', undefined]]],
    ['{"base_model":{"name":"b","model":"c"}}', [['base_model.model', 'c']]],
    [
      '{"models":[ "a" , 7 , {"x":1}, ["b"] ]}',
      [
        ['models[0]', 'a'],
        ['models[1]', undefined],
        ['models[2]', undefined],
        ['models[3]', undefined],
      ],
    ],
    [
      '{ "a" : { "b" : 1 , "model" : "c" } , "d" : [ 1 , { "model" : "e" } ] }',
      [
        ['a.model', 'c'],
        ['d[1].model', 'e'],
      ],
    ],
    [
      '{"a":{"type":7,"model":"b"},"c":{"type":{"model":"d"}}}',
      [
        ['a.model', 'b'],
        ['c.type.model', 'd'],
      ],
    ],
    ['{"other":[{"type":"image_generation"}]}', []],
    ['{"tools":{"type":"image_generation"}}', [['tools.model', undefined]]],
    ['{"a":{"parameters":{"model":"b"}}}', [['a.parameters.model', 'b']]],
    ['{"allow_model_change":true,"model_temperature":1}', []],
  ])('finds the models in %s', (text, found) => expect(modelNames(text)).toEqual(found));

  it('finds a model at any depth, next to any value', () => {
    const key = fc.constantFrom('extra', 'options', 'a b', 'ü', '"', '\\', 'x'.repeat(40));
    const pathArbitrary = fc.array(fc.oneof(key, fc.constant(0)), { maxLength: 8 });
    fc.assert(
      fc.property(
        pathArbitrary,
        fc.jsonValue(),
        fc.constantFrom('model', 'Model', 'models', 'ｍodel', 'deployment_id'),
        (path, sibling, name) => {
          const inner = path.reduceRight<unknown>((value, step) => (step === 0 ? [sibling, value] : { note: sibling, [step]: value }), {
            [name]: 'canary',
          });
          const body = JSON.stringify({ messages: [], wrap: inner });
          expect(modelNames(body).some(([, found]) => found === 'canary')).toBe(true);
        },
      ),
    );
  });

  it.each([
    [127, [[`${'a.'.repeat(127)}model`, 'm']]],
    [128, undefined],
  ])('searches up to 128 levels deep: with %d enclosing objects', (levels, found) => {
    const json = `${'{"a":'.repeat(levels)}{"model":"m"}${'}'.repeat(levels)}`;
    const readModels = () => modelsNamedInText(json)?.map(({ field, name }) => [field, name]);
    if (found !== undefined) expect(readModels()).toEqual(found);
    else expect(readModels).toThrow(/^The body is nested more than 128 levels deep\.$/);
  });

  it('returns undefined for invalid JSON, and otherwise the field of each model', () => {
    expect([modelsNamedInText('{"model":"m"'), modelsNamedInText('["m"]')]).toEqual([undefined, []]);
    expect(modelsNamedInText('{"model":"m","route":true}')).toEqual([
      { name: 'm', field: 'model' },
      { name: undefined, field: 'route' },
    ]);
    expect(modelsNamedInPart({ name: 'route', isFile: false, text: 'x' })).toEqual([{ name: undefined, field: 'route' }]);
  });

  it('never throws for valid JSON or any string', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(modelsNamedInText(text)).not.toBe(undefined);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void modelsNamedInText(text)));
  });
});

describe('modelsNamedInPart', () => {
  const part = (name: string, text: string | undefined, isFile = false) =>
    modelsNamedInPart({ name, isFile, text }).map((model) => model.name);
  it.each<[string, string | undefined, boolean, readonly (string | undefined)[]]>([
    ['model', 'a', false, []],
    ['model', undefined, false, [undefined]],
    ['model', undefined, true, [undefined]],
    ['Model', 'a', false, ['a']],
    ['models', '["a","b"]', false, ['a', 'b']],
    ['models', '["a"', false, [undefined]],
    ['extra_body', '{"model":"b"}', false, ['b']],
    ['prompt', '{"model":"b"}', false, []],
    ['route', 'fallback', false, [undefined]],
    ['route', '', false, []],
    ['route', undefined, false, [undefined]],
    ['note', 'see "model"', false, []],
    ['models', ' ["a"]', false, ['a']],
    ['models', 'a["b"]', false, ['a["b"]']],
    ['models', '"a"', false, ['a']],
    ['extra_body', '{"model":', false, []],
    ['extra_body', undefined, false, []],
    ['file', undefined, true, []],
  ])('finds the model of the field %s with the value %s (file: %s)', (name, text, isFile, found) =>
    expect(part(name, text, isFile)).toEqual(found),
  );
});

it.each(['model', 'Model', 'MODEL ', 'model[]', 'mo\u200bdel', 'ｍｏｄｅｌ', 'model\0', '_model_'])(
  'plainName normalizes %j to "model"',
  (name) => expect(plainName(name)).toBe('model'),
);

it('plainName removes 300,000 combining accents in linear time', () => {
  const accents = '\u0323\u0307'.repeat(300_000);
  expect(plainName(`mo${accents}del${accents}`)).toBe('model');
});
