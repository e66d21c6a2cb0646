import { describe, expect, it } from 'vitest';
import { withEntry, yamlOf } from './new-entry.ts';

const entry = 'new:\n  type: mock\n';

/** [text, with the entry]. */
const rows: Readonly<Record<string, readonly [string, string]>> = {
  'behind the last entry, comments and blanks kept': [
    'version: 1\n# a\nproviders:   # b\n  one:\n    type: mock   # c\n\n  two: {type: mock}  # d\n\n# e\nconfigs: {}\n',
    'version: 1\n# a\nproviders:   # b\n  one:\n    type: mock   # c\n\n  two: {type: mock}  # d\n  new:\n    type: mock\n\n# e\nconfigs: {}\n',
  ],
  'with the indentation of its neighbours': [
    'providers:\n    one:\n        type: mock\n',
    'providers:\n    one:\n        type: mock\n    new:\n      type: mock\n',
  ],
  'at the end of a text without a last line break': [
    'providers:\n  one: {type: mock}',
    'providers:\n  one: {type: mock}\n  new:\n    type: mock\n',
  ],
  'behind a text of several lines': [
    'providers:\n  one:\n    description: |\n      a\n      b\nx-a: 1\n',
    'providers:\n  one:\n    description: |\n      a\n      b\n  new:\n    type: mock\nx-a: 1\n',
  ],
  'in a section that is missing': ['version: 1\n', 'version: 1\n\nproviders:\n  new:\n    type: mock\n'],
  'in a section that is empty': ['providers:\nversion: 1\n', 'providers:\n  new:\n    type: mock\nversion: 1\n'],
  'in a section that says it is empty': [
    'providers: ~ # none yet\nversion: 1\n',
    'providers: # none yet\n  new:\n    type: mock\nversion: 1\n',
  ],
  'in an empty section whose key is quoted': ['"providers" : null', '"providers" :\n  new:\n    type: mock\n'],
  'in an empty section between braces': ['{version: 1, providers: ~}\n', '{version: 1, providers: {new: {type: mock}}}\n'],
  'in a section without a value between braces': ['{version: 1, providers: }\n', '{version: 1, providers: {new: {type: mock}} }\n'],
  'in a section that is missing between braces': ['{version: 1}\n', '{version: 1, providers: {new: {type: mock}}}\n'],
  'in braces with nothing in them': ['providers: {}\na: 1\n', 'providers: {new: {type: mock}}\na: 1\n'],
  'in braces on several lines': [
    'providers: {\n  one: {type: mock}, # b\n}\na: [ 1,2 ]\n',
    'providers: {\n  one: {type: mock},\n  new: {type: mock}, # b\n}\na: [ 1,2 ]\n',
  ],
  'beside numbers that have more digits than can be kept': [
    'providers: {one: {type: mock}}\na: {seed: 98765432109876543210, b: 1e3}\n',
    'providers: {one: {type: mock}, new: {type: mock}}\na: {seed: 98765432109876543210, b: 1e3}\n',
  ],
  'in a section that is empty, with the line ends of the text': [
    'providers:\r\nversion: 1\r\n',
    'providers:\r\n  new:\r\n    type: mock\r\nversion: 1\r\n',
  ],
  'with the line ends of the text': ['providers:\r\n  one: {}\r\n', 'providers:\r\n  one: {}\r\n  new:\r\n    type: mock\r\n'],
  'in JSON, which stays JSON': [
    '{"version":1,"providers":{"one":{"type":"mock","seed":98765432109876543210}}}',
    '{"version":1,"providers":{"one":{"type":"mock","seed":98765432109876543210}, "new": {"type":"mock"}}}',
  ],
  'in JSON on several lines': [
    '{\n  "providers": {\n    "one": {}\n  }\n}\n',
    '{\n  "providers": {\n    "one": {},\n    "new": {"type":"mock"}\n  }\n}\n',
  ],
  'in JSON without the section': ['{"version":1}\n', '{"version":1, "providers": {"new":{"type":"mock"}}}\n'],
  'in braces': ['# a\nproviders: {one: {type: mock}}\n', '# a\nproviders: {one: {type: mock}, new: {type: mock}}\n'],
};

describe('an entry', () => {
  it.each(Object.entries(rows))('%s', (_name, [before, after]) => {
    expect(withEntry(before, 'providers', 'new', entry)).toBe(after);
  });

  it.each([
    ['a name that is taken', 'providers:\n  new: {}\n'],
    ['a text that is no YAML', 'providers: [\n'],
    ['a name that is taken in JSON', '{"providers":{"new":{}}}'],
    ['a section that is a list', 'providers: [a]\n'],
  ])('is not written over %s', (_name, text) => {
    expect(withEntry(text, 'providers', 'new', entry)).toBeUndefined();
  });
});

it('dates and references are written as people write them', () => {
  expect(yamlOf({ a: { api_version: '2024-10-21', api_key: `\${env:KEY}`, on: true } }, 2)).toBe(
    `  a:\n    api_version: "2024-10-21"\n    api_key: \${env:KEY}\n    on: true`,
  );
});
