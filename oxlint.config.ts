import { defineConfig } from 'oxlint';
import { closedToPlugins, folderRules, pluginRoots, wrappers } from './test/repo/import-rules.ts';

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
const parts = folderRules.map((rule) => rule.from.replace('src/', '')).concat('admin', 'cli');

/** Libraries that have a wrapper elsewhere; a wrapper may be a folder. */
function wrapped(file: string) {
  const closed = Object.entries(wrappers).filter(([, files]) => !files.some((own) => file === own || file.startsWith(`${own}/`)));
  return closed.map(([library, files]) => ({
    regex: `^${escape(library)}(/|$)`,
    message: `Only ${files.join(', ')} imports ${library}.`,
  }));
}

/** The other parts of `src`, as they look in a relative import. */
function outside(folder: string) {
  const rule = folderRules.find((row) => row.from === folder);
  if (rule === undefined) return [];
  // A neighbour is written without the folder that both are in: `../outbound/egress.ts`.
  const beside = folder.slice('src/'.length, folder.lastIndexOf('/') + 1);
  const closed = parts
    .filter((part) => !rule.to.some((own) => `src/${part}/`.startsWith(`${own}/`)))
    .map((part) => (beside !== '' && part.startsWith(beside) ? part.slice(beside.length) : part));
  return [
    { regex: String.raw`^\.\.?/(.*/)?(${closed.join('|')})/`, message: `${folder} imports only ${rule.to.join(', ')}.` },
    { regex: String.raw`(^|/)(plugins/|(main|gateway)\.ts$)`, message: `${folder} knows no plugin and no entry point.` },
  ];
}

const restricted = (file: string, patterns: readonly object[]) => ({
  'no-restricted-imports': ['error', { patterns: [...patterns, ...wrapped(file)] }] as ['error', object],
});

/** A later override replaces the rule of an earlier one, so the files that wrap a library get the whole list again. */
const sourceOverrides = [...folderRules.map((rule) => rule.from), 'src']
  .toReversed()
  .flatMap((folder) => [
    { files: [`${folder}/**`], rules: restricted(folder, outside(folder)) },
    ...[...new Set(Object.values(wrappers).flat())]
      .filter((file) => file.startsWith(`${folder}/`))
      .map((file) => ({ files: [file], rules: restricted(file, outside(folder)) })),
  ]);

const closedModules = closedToPlugins.modules.map(escape).join('|');
const pluginPatterns = [
  { regex: `^(node:)?(${closedModules})$`, message: 'Plugins have no sockets, files or environment: see PluginHost.' },
  { regex: '(^|/)src/', message: 'Plugins reach the core as #core/…, providers the formats as #formats/…, and nothing else.' },
];
const neighbour = {
  regex: String.raw`^\.\./[^_.]`,
  message: 'A plugin imports #core, its own folder and what providers share (#formats, _…).',
};

const pluginOverrides = [
  ...pluginRoots.map((root) => ({
    files: [`${root}/*/**`],
    rules: {
      ...restricted('', pluginPatterns),
      'no-restricted-globals': ['error', ...closedToPlugins.globals] as ['error', ...string[]],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Use PluginHost.now or Call.createdAt.' },
        { object: 'Math', property: 'random', message: 'Use Received.random.' },
      ] as ['error', ...object[]],
    },
  })),
  // Files that lie directly in a plugin's folder: one step up is a neighbour already.
  ...pluginRoots.map((root) => ({ files: [`${root}/*/*.ts`], rules: restricted('', [...pluginPatterns, neighbour]) })),
  ...[...new Set(Object.values(wrappers).flat())]
    .filter((file) => file.startsWith('plugins/'))
    .map((file) => ({ files: [file], rules: restricted(file, pluginPatterns) })),
];

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'vitest'],
  categories: { correctness: 'error' },
  ignorePatterns: ['node_modules', 'configs/schema', 'bench/results'],
  rules: {
    eqeqeq: 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'no-console': 'error',
    'max-lines': ['error', { max: 400 }],
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    'max-params': ['error', { max: 5 }],
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-duplicates': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': ['error', { checksVoidReturn: false }],
    'typescript/await-thenable': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    // Our interfaces are records of functions made by closures: there is no `this` to lose.
    'typescript/unbound-method': 'off',
    // Bodies are unknown JSON; making text of what stands there is deliberate.
    'typescript/no-base-to-string': 'off',
    // Header values and bodies are full of control characters on purpose.
    'no-control-regex': 'off',
    // Conditions of a config are written as {query, then}.
    'unicorn/no-thenable': 'off',
    // Laws (fast-check) and shared suites assert inside helpers.
    'vitest/expect-expect': 'off',
    // Vitest's expect takes a message as its second argument.
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    // Titles of tables and shared suites come from their rows.
    'vitest/valid-title': 'off',
    // Tables hold rows with and without an optional expectation.
    'vitest/no-conditional-expect': 'off',
  },
  overrides: [
    ...sourceOverrides,
    ...pluginOverrides,
    {
      files: ['**/*.test.ts', '**/fixtures/**', 'test/**', 'bench/**', '.ci/**'],
      // Tests and tools stand outside the folders' rules, are written as long tables, and know what they built.
      rules: {
        'no-restricted-imports': 'off',
        'no-restricted-globals': 'off',
        'no-restricted-properties': 'off',
        'max-lines-per-function': 'off',
        'max-lines': ['error', { max: 600 }],
        'max-params': 'off',
        'typescript/no-non-null-assertion': 'off',
      },
    },
    // A component is its markup: hooks and handlers above, one tree below.
    {
      files: ['src/admin/ui/**/*.tsx'],
      rules: { 'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }] },
    },
    // Commands: what they print is what they are for.
    { files: ['bench/**', '.ci/**', 'test/repo/gen.ts'], rules: { 'no-console': 'off' } },
  ],
});
