import { type Field, type FieldType, fields } from './fields.ts';

/** Text of `gateway help filters`. The documentation is generated from it too. */
export const filterRules: readonly { readonly write: string; readonly means: string }[] = [
  { write: 'config:support status:>=400', means: 'every term must match' },
  { write: '-provider:azure-eu', means: '`-` negates a term; requests without a value match too' },
  { write: 'error:rate_limited,timeout', means: 'a comma means or' },
  { write: 'model:gpt-4o*', means: '`*` matches any text, including none' },
  { write: 'ttft:*', means: 'there is a value, and it is not empty' },
  { write: 'config:""', means: 'there is no value, or an empty one' },
  { write: 'latency:>2s', means: '`>`, `>=`, `<`, `<=` compare numbers, durations and amounts' },
  { write: 'status:5xx', means: 'a class of status' },
  { write: 'meta.user:u42 label.team:web', means: 'a key of the metadata, a label' },
  { write: 'meta."my key":"two words"', means: String.raw`quotes for spaces, commas, colons and stars; \" is a quote` },
  { write: 'since:1h until:2026-11-21T09:31Z', means: 'a duration before now, or an ISO time (UTC without a zone)' },
  { write: 'refund "order 42"', means: 'words in preview, ids and error texts; in quotes: next to each other' },
];

/** Units of each type of value. */
export const filterUnits: Readonly<Record<FieldType, string>> = {
  text: 'upper and lower case differ',
  number: '`10k` is ten thousand, `1.5m` one and a half million',
  duration: '`500ms`, `2s`, `1.5m`, `1h`, `1d`; milliseconds without a unit',
  money: 'US dollars',
  boolean: '`true` or `false`',
  time: 'a duration before now, or an ISO time (UTC without a zone)',
};

const named: Readonly<Record<string, string>> = { 'label.*': 'label.team', 'meta.*': 'meta.user' };

/** A term that can be used as it is. */
export const exampleOf = ({ name, example }: Field): string => `${named[name] ?? name}:${example}`;

/** Help as plain text for a terminal. */
export function filterHelp(): string {
  const widest = Math.max(...filterRules.map(({ write }) => write.length));
  const rules = filterRules.map(({ write, means }) => `  ${write.padEnd(widest)}  ${plain(means)}`);
  const names = fields.map((field) => `  ${exampleOf(field).padEnd(widest)}  ${plain(field.about)}`);
  return ['Filters of the request log', '', ...rules, '', 'Fields', '', ...names, ''].join('\n');
}

const plain = (text: string): string => text.replaceAll('`', '');
