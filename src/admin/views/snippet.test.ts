import { expect, it } from 'vitest';
import { snippetAt } from './snippet.ts';

it.each([
  ['ends at the next key', ['configs:', '  a:', '    targets: [x]', '  b: 1'], 'a:\n  targets: [x]'],
  [
    'contains comments between its lines',
    ['configs:', '  a:', '    targets:', '    - x', '# note', '', '    - y', '  b: 1'],
    'a:\n  targets:\n  - x\n# note\n\n  - y',
  ],
  ['contains comments at its end that are indented like it', ['configs:', '  a:', '    n: 1', '    # note'], 'a:\n  n: 1\n  # note'],
  ['ends before the comment of the next key', ['configs:', '  a:', '    n: 1', '', '  # note', '  b: 1'], 'a:\n  n: 1'],
])('a snippet %s', (_, lines, snippet) => {
  expect(snippetAt(lines, 2)).toBe(snippet);
});
