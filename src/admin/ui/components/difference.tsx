import type { Difference, Origin } from '../../../core/logs/explanation.ts';

const signs = { added: '+', removed: '−', changed: '~', moved: '→' } as const;
const words = { added: 'added', removed: 'removed', changed: 'changed', moved: 'moved' } as const;

/** Fields that differ between two bodies, each with the cause. */
export function Differences({ list }: { list: readonly Difference[] }) {
  return (
    <ul class="difference">
      {list.map((entry, i) => (
        <li key={i} class={entry.kind}>
          <span class="sign" title={words[entry.kind]}>
            {signs[entry.kind]}
            <span class="hidden-text">{words[entry.kind]}</span>
          </span>
          <span class="path">{entry.path}</span>
          <span class="stack tight">
            {entry.before !== undefined && <del>{entry.before}</del>}
            {entry.after !== undefined && <ins>{entry.after}</ins>}
          </span>
          {entry.cause !== '' && (
            <span class="cause">
              {entry.cause} <OriginLabel at={entry.at} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** `gateway.yaml:12`. A long one is broken before the name of the file. */
export function OriginLabel({ at }: { at: Origin | null }) {
  if (at === null) return null;
  const nameStart = at.file.lastIndexOf('/') + 1;
  return (
    <code class="muted break written-at" title={`${at.file}:${at.line}`}>
      {at.file.slice(0, nameStart)}
      <wbr />
      {at.file.slice(nameStart)}
      <span class="line-number">{`:${at.line}`}</span>
    </code>
  );
}
