import { describe, expect, it } from 'vitest';
import { withEntry, yamlOf } from './new-entry.ts';

const entry = 'new:\n  type: mock\n';

/** [text, with the entry]. */
const rows: Readonly<Record<string, readonly [string, string]>> = {
  'after the last entry, with comments and blank lines preserved': [
    'version: 1\n# a\nproviders:   # b\n  one:\n    type: mock   # c\n\n  two: {type: mock}  # d\n\n# e\nconfigs: {}\n',
    'version: 1\n# a\nproviders:   # b\n  one:\n    type: mock   # c\n\n  two: {type: mock}  # d\n  new:\n    type: mock\n\n# e\nconfigs: {}\n',
  ],
  'with the indentation of other entries': [
    'providers:\n    one:\n        type: mock\n',
    'providers:\n    one:\n        type: mock\n    new:\n      type: mock\n',
  ],
  'at the end of a text without a last line break': [
    'providers:\n  one: {type: mock}',
    'providers:\n  one: {type: mock}\n  new:\n    type: mock\n',
  ],
  'after a string of several lines': [
    'providers:\n  one:\n    description: |\n      a\n      b\nx-a: 1\n',
    'providers:\n  one:\n    description: |\n      a\n      b\n  new:\n    type: mock\nx-a: 1\n',
  ],
  'in an empty text': ['', 'version: 1\n\nproviders:\n  new:\n    type: mock\n'],
  'in a text of comments': ['# a\n', '# a\n\nversion: 1\n\nproviders:\n  new:\n    type: mock\n'],
  'in a text of comments with CRLF line ends': ['# a\r\n', '# a\r\n\r\nversion: 1\r\n\r\nproviders:\r\n  new:\r\n    type: mock\r\n'],
  'in a missing section': ['version: 1\n', 'version: 1\n\nproviders:\n  new:\n    type: mock\n'],
  'in an empty section': ['providers:\nversion: 1\n', 'providers:\n  new:\n    type: mock\nversion: 1\n'],
  'in a section with the value null': [
    'providers: ~ # none yet\nversion: 1\n',
    'providers: # none yet\n  new:\n    type: mock\nversion: 1\n',
  ],
  'in an empty section with a quoted key': ['"providers" : null', '"providers" :\n  new:\n    type: mock\n'],
  'in an empty section of a flow mapping': ['{version: 1, providers: ~}\n', '{version: 1, providers: {new: {type: mock}}}\n'],
  'in a section without a value in a flow mapping': ['{version: 1, providers: }\n', '{version: 1, providers: {new: {type: mock}} }\n'],
  'in a missing section of a flow mapping': ['{version: 1}\n', '{version: 1, providers: {new: {type: mock}}}\n'],
  'in an empty flow mapping': ['providers: {}\na: 1\n', 'providers: {new: {type: mock}}\na: 1\n'],
  'in a flow mapping on several lines': [
    'providers: {\n  one: {type: mock}, # b\n}\na: [ 1,2 ]\n',
    'providers: {\n  one: {type: mock}, # b\n  new: {type: mock},\n}\na: [ 1,2 ]\n',
  ],
  'after a comment in a flow mapping without a comma at the end': [
    'providers: {\n  one: {type: mock} # b, }\n}\n',
    'providers: {\n  one: {type: mock}, # b, }\n  new: {type: mock}\n}\n',
  ],
  'in a flow mapping with a comma at the end': [
    'providers: {\n  one: {type: mock},\n}\n',
    'providers: {\n  one: {type: mock},\n  new: {type: mock},\n}\n',
  ],
  'beside numbers with more digits than a double': [
    'providers: {one: {type: mock}}\na: {seed: 98765432109876543210, b: 1e3}\n',
    'providers: {one: {type: mock}, new: {type: mock}}\na: {seed: 98765432109876543210, b: 1e3}\n',
  ],
  'in an empty section with CRLF line ends': ['providers:\r\nversion: 1\r\n', 'providers:\r\n  new:\r\n    type: mock\r\nversion: 1\r\n'],
  'with CRLF line ends after a text without a last line break': [
    'providers:\r\n  one: {}',
    'providers:\r\n  one: {}\r\n  new:\r\n    type: mock\r\n',
  ],
  'with CRLF line ends': ['providers:\r\n  one: {}\r\n', 'providers:\r\n  one: {}\r\n  new:\r\n    type: mock\r\n'],
  'after a line that ends in CRLF, in a text of LF': [
    'version: 1\nproviders:\r\n  one: {}\r\na: |\n  b\r\n',
    'version: 1\nproviders:\r\n  one: {}\r\n  new:\r\n    type: mock\r\na: |\n  b\r\n',
  ],
  'after a line that ends in LF, in a text of CRLF': [
    'version: 1\r\nproviders:\n  one: {}\n',
    'version: 1\r\nproviders:\n  one: {}\n  new:\n    type: mock\n',
  ],
  'in a section with the value null, with both line ends': [
    'a: 1\nproviders: ~ # none\r\nb: 1\n',
    'a: 1\nproviders: # none\r\n  new:\r\n    type: mock\r\nb: 1\n',
  ],
  'in JSON': [
    '{"version":1,"providers":{"one":{"type":"mock","seed":98765432109876543210}}}',
    '{"version":1,"providers":{"one":{"type":"mock","seed":98765432109876543210}, "new": {"type":"mock"}}}',
  ],
  'in JSON on several lines': [
    '{\n  "providers": {\n    "one": {}\n  }\n}\n',
    '{\n  "providers": {\n    "one": {},\n    "new": {"type":"mock"}\n  }\n}\n',
  ],
  'in JSON without the section': ['{"version":1}\n', '{"version":1, "providers": {"new":{"type":"mock"}}}\n'],
  'in a flow mapping': ['# a\nproviders: {one: {type: mock}}\n', '# a\nproviders: {one: {type: mock}, new: {type: mock}}\n'],
};

describe('withEntry()', () => {
  it.each(Object.entries(rows))('adds an entry %s', (_name, [before, after]) => {
    expect(withEntry(before, 'providers', 'new', entry)).toBe(after);
  });

  it.each([
    ['an existing name', 'providers:\n  new: {}\n'],
    ['invalid YAML', 'providers: [\n'],
    ['an existing name in JSON', '{"providers":{"new":{}}}'],
    ['a section that is a list', 'providers: [a]\n'],
  ])('returns undefined for %s', (_name, text) => {
    expect(withEntry(text, 'providers', 'new', entry)).toBeUndefined();
  });
});

it('yamlOf() quotes dates and does not quote references', () => {
  expect(yamlOf({ a: { api_version: '2024-10-21', api_key: `\${env:KEY}`, on: true } }, 2)).toBe(
    `  a:\n    api_version: "2024-10-21"\n    api_key: \${env:KEY}\n    on: true`,
  );
});
