import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { providers } from '../../../../plugins/index.ts';
import { format } from './index.ts';

const formatText = (text: string, fixes = false): string => {
  const formatResult = format(text, { providers, fixes });
  return 'text' in formatResult ? formatResult.text : 'refused' in formatResult ? `refused: ${formatResult.refused}` : 'invalid';
};

describe('format()', () => {
  it.each<[string, string, string]>([
    [
      'sorts sections with the comments above them',
      'providers:\n  a: {type: mock} # one\n  # b: {type: mock}\n\n# The server.\n# gateway-ignore: exposed\nserver: {open: true}\nversion: 1\n',
      'version: 1\n\n# The server.\n# gateway-ignore: exposed\nserver: {open: true}\n\nproviders:\n  a: {type: mock} # one\n  # b: {type: mock}\n',
    ],
    [
      'does not move comments at the start and the end of the file',
      '# yaml-language-server: $schema=s.json\n# Of team A.\n\n# The providers.\nproviders: {a: {type: mock}}\nversion: 1\n\n# configs:\n#   later: {}\n',
      '# yaml-language-server: $schema=s.json\n# Of team A.\n\nversion: 1\n\n# The providers.\nproviders: {a: {type: mock}}\n\n# configs:\n#   later: {}\n',
    ],
    [
      'does not change comments at the start of a sorted file',
      '# Of team A.\nversion: 1\nproviders: {a: {type: mock}}\n',
      '# Of team A.\nversion: 1\nproviders: {a: {type: mock}}\n',
    ],
    ['keeps a document start', '--- # first\n# P.\nproviders: {}\nversion: 1\n', '--- # first\nversion: 1\n# P.\nproviders: {}\n'],
    ['keeps a document end', 'providers: {}\nversion: 1\n...\n', 'version: 1\nproviders: {}\n...\n'],
    [
      'puts anchors after include',
      'version: 1\nx-a: &a {type: mock}\nproviders: {m: *a}\ninclude: [a.yaml]\n',
      'version: 1\ninclude: [a.yaml]\nx-a: &a {type: mock}\nproviders: {m: *a}\n',
    ],
    ['sorts unknown keys last', 'b: 1\nlogging: {}\na: 1\nversion: 1\n', 'version: 1\nlogging: {}\nb: 1\na: 1\n'],
    ['removes extra white space', '\n\nversion: 1  \n\n\n\nserver:\t\n  open: true\n\n\n', 'version: 1\n\nserver:\n  open: true\n'],
    [
      'separates sections of several lines',
      'version: 1\nserver:\n  open: true\nlogging: {}\n',
      'version: 1\n\nserver:\n  open: true\n\nlogging: {}\n',
    ],
    [
      'keeps white space in strings',
      'version: 1\nx-t: |\n  a  \n\n\n  b\nx-q: "a  \n\n\n  b"\nproviders: {}\n',
      'version: 1\n\nx-t: |\n  a  \n\n\n  b\n\nx-q: "a  \n\n\n  b"\n\nproviders: {}\n',
    ],
    ['keeps empty lines that belong to a string', 'x-t: |+\n  a\n\n\nversion: 1\n', 'version: 1\n\nx-t: |+\n  a\n\n\n'],
    ['adds a line feed at the end', 'version: 1\n\nx-t: |\n  a', 'version: 1\n\nx-t: |\n  a\n'],
    ['rejects invalid YAML', 'a: [', 'invalid'],
    ['rejects a duplicate key', 'a: 1\na: 2\n', 'invalid'],
    ['keeps the line ends', 'providers: {}\r\nversion: 1\r\n', 'version: 1\r\nproviders: {}\r\n'],
    ['removes a byte order mark', '\ufeffversion: 1\n', 'version: 1\n'],
    ['keeps JSON', '{\n"providers": {},\n"version": 1}', '{\n"providers": {},\n"version": 1}\n'],
    ['keeps a file that contains only comments', '# a  \n\n\n\n# b', '# a\n\n# b\n'],
    ['keeps an empty file', '', ''],
    [
      'writes snake_case in configs only',
      'configs:\n  a:\n    overrideParams: {maxTokens: 1}\n    "requestTimeout": 5\n    targets: [{overrideParams: {a: 1}, virtualKey: v}]\nx-n: {overrideParams: 1}\n',
      'x-n: {overrideParams: 1}\n\nconfigs:\n  a:\n    override_params: {maxTokens: 1}\n    "request_timeout": 5\n    targets: [{override_params: {a: 1}, virtual_key: v}]\n',
    ],
    [
      'renames keys in an anchor',
      'x-r: &r {retry: {attempts: 1}, requestTimeout: 5}\nconfigs: {a: *r, b: {<<: *r, weight: 1}}\n',
      'x-r: &r {retry: {attempts: 1}, request_timeout: 5}\nconfigs: {a: *r, b: {<<: *r, weight: 1}}\n',
    ],
    [
      'rejects an alias that would precede its anchor',
      'providers: {a: &a {type: mock}}\nserver: {x-a: *a}\n',
      'refused: sorting the sections would put an alias before its anchor: move the anchor to a top-level key that starts with x-',
    ],
    [
      'rejects an anchor that is defined twice',
      'logging: &n {open: 1}\nconfigs: {x-c: *n}\nserver: &n {open: 2}\nproviders: {x-d: *n}\n',
      'refused: sorting the sections would put an alias before its anchor: move the anchor to a top-level key that starts with x-',
    ],
    [
      'rejects a new name if an alias needs the old one',
      'configs: {a: &a {requestTimeout: 5}, b: {override_params: *a}}\n',
      'refused: renaming "requestTimeout" in line 1 to request_timeout would change the meaning: such a key already exists, or an alias uses the mapping elsewhere',
    ],
    [
      'rejects a new name that already exists',
      'configs: {a: {requestTimeout: 5, request_timeout: 6}}\n',
      'refused: renaming "requestTimeout" in line 1 to request_timeout would change the meaning: such a key already exists, or an alias uses the mapping elsewhere',
    ],
    ['rejects a file that is not a mapping', '- a\n', 'invalid'],
  ])('%s', (_, text, expected) => {
    expect(formatText(text)).toBe(expected);
    if (!/^(?:refused|invalid)/.test(expected)) expect(formatText(expected)).toBe(expected);
  });

  it('replaces deprecated names only on request', () => {
    const text = 'configs: {a: {retry: {useRetryAfterHeaders: true}, strictOpenAiCompliance: false}}\n';
    expect(formatText(text)).toBe(text);
    expect(format(text, { providers, fixes: false })).toMatchObject({
      left: [{ line: 1, to: 'use_retry_after_header' }, { to: 'strict_compliance' }],
    });
    expect(formatText(text, true)).toBe('configs: {a: {retry: {use_retry_after_header: true}, strict_compliance: false}}\n');
  });

  it('keeps all values and comments of any file, and changes nothing the second time', () => {
    const comment = fc.constantFrom('# a', '#b: 1', '  # c', '# gateway-ignore: exposed', '', '', '   ');
    const value = fc.constantFrom(
      ' 1',
      ' {a: 1} # end',
      ' "a  \n\n  b"',
      ' |\n  a  \n\n\n  # no comment\n  b\n',
      ' |+\n  a\n\n\n',
      ' >-\n  a\n\n  b',
      '\n  a:\n    - 1  \n\n\n    - {b: [1,\n      2]}\n  # d',
      ' &n {z: 1}',
      ' *n',
      '\n  <<: *n\n  a: 1',
      ' plain\n  text\n\n  on',
    );
    const key = fc.constantFrom('version', 'include', 'server', 'providers', 'configs', 'x-one', 'x-two', 'logging', 'other', '"auth"');
    const sections = fc.uniqueArray(fc.record({ key, value, isNamed: fc.boolean(), above: fc.array(comment, { maxLength: 3 }) }), {
      selector: (section) => section.key,
    });
    const file = fc.record({
      sections,
      footer: fc.array(comment, { maxLength: 3 }),
      eol: fc.constantFrom('\n', '\r\n'),
      end: fc.constantFrom('', '\n'),
    });
    let counted = 0;
    fc.assert(
      fc.property(file, ({ sections: sectionList, footer, eol, end }) => {
        const lines = [
          ...sectionList.flatMap((section) => [
            ...section.above,
            ...(section.isNamed ? [`# of ${section.key}`] : []),
            `${section.key}:${section.value}`,
          ]),
          ...footer,
        ];
        const text = (lines.join('\n') + end).replaceAll('\n', eol);
        const formatResult = format(text, { providers, fixes: true });
        if (!('text' in formatResult)) return;
        counted += 1;
        const values = (yaml: string): unknown => parse(yaml, { merge: true, uniqueKeys: false });
        expect(values(formatResult.text)).toEqual(values(text));
        const comments = (yaml: string): string[] =>
          yaml
            .split(/\r?\n/)
            .filter((line) => /^\s*#/.test(line))
            .map((line) => line.trim())
            .toSorted();
        expect(comments(formatResult.text)).toEqual(comments(text));
        for (const section of sectionList.filter(({ isNamed }) => isNamed))
          expect(formatResult.text).toMatch(`# of ${section.key}${eol}${section.key}:`);
        expect(format(formatResult.text, { providers, fixes: true })).toEqual({ text: formatResult.text, renamed: [], left: [] });
      }),
      { numRuns: 800 },
    );
    expect(counted).toBeGreaterThan(300);
  });
});
