import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface TabsProps<T extends string> {
  readonly tabs: readonly (readonly [id: T, name: ComponentChildren])[];
  readonly value: T;
  readonly onChange: (id: T) => void;
  readonly label: string;
  /** `segments` is the small form, for views of the same content. */
  readonly look?: 'tabs' | 'segments';
  readonly children: ComponentChildren;
}

/** Arrow keys move between the tabs (ARIA Authoring Practices, tabs pattern). */
export function Tabs<T extends string>({ tabs, value, onChange, label, look = 'tabs', children }: TabsProps<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.findIndex(([tab]) => tab === value);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChange(next[0]);
    list.current?.querySelectorAll('button')[(at + step + tabs.length) % tabs.length]?.focus();
  };
  // A single view needs no choice.
  if (tabs.length === 1 && look === 'segments') return <div class="stack tight">{children}</div>;
  return (
    <div class="stack tight">
      <div class={look} role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(([tab, name]) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`${id}-${tab}`}
            aria-selected={tab === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab === value ? 0 : -1}
            onClick={() => onChange(tab)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} class="stack tight">
        {children}
      </div>
    </div>
  );
}

/** A single choice among a few options, without panels. */
export function Choice<T extends string>({
  options,
  value,
  onChange,
  label,
}: {
  options: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
  label: string;
}) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([id, name]) => (
        <button key={id} type="button" aria-pressed={id === value} onClick={() => onChange(id)}>
          {name}
        </button>
      ))}
    </div>
  );
}
