interface NameListProps {
  readonly label: string;
  readonly names: readonly { readonly name: string; readonly note: string }[];
  readonly current: string | undefined;
  readonly hrefOf: (name: string) => string;
}

/** What there is, beside the one that is shown; above it on small screens. */
export function NameList({ label, names, current, hrefOf }: NameListProps) {
  return (
    <nav class="panel name-list" aria-label={label}>
      <ul>
        {names.map(({ name, note }) => (
          <li key={name}>
            <a href={hrefOf(name)} aria-current={name === current ? 'page' : undefined} title={name}>
              <span class="cut">{name}</span>
              <span class="small muted cut">{note}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
