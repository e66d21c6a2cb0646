import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { storedSignal } from '../../../browser/stored-signal.ts';
import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/form.tsx';
import { anyError } from '../../../log/terms.ts';
import { Popover } from '../../../components/popover.tsx';

interface SavedView {
  readonly name: string;
  readonly filter: string;
}

const defaultViews: readonly SavedView[] = [
  { name: 'All', filter: '' },
  { name: 'Errors', filter: anyError },
  { name: 'Slow', filter: 'latency:>5s' },
  { name: 'Expensive', filter: 'cost:>0.01' },
  { name: 'Fallbacks', filter: 'fallback:true' },
];

/** Maximum number of saved filters. Further ones are refused, so that no saved filter is lost. */
const maxViews = 50;

const isViews = (value: unknown): value is readonly SavedView[] =>
  Array.isArray(value) &&
  value.length <= maxViews &&
  value.every((view: Partial<SavedView> | null) => typeof view?.name === 'string' && typeof view.filter === 'string');
const savedViews = storedSignal<readonly SavedView[]>('views', [], isViews);

/** Named filters: the default ones, and those that the user saved in this browser. */
export function Views({ filter, onFilter }: { filter: string; onFilter: (filter: string) => void }) {
  const all = [...defaultViews, ...savedViews.value];
  const isKnown = all.some((view) => view.filter === filter);
  const box = useRef<HTMLDivElement>(null);
  const isChanging = useRef(false);
  const change = (views: readonly SavedView[]): void => {
    isChanging.current = true;
    savedViews.value = views;
  };
  // The button that was clicked is gone, so its neighbour gets the focus.
  useLayoutEffect(() => {
    if (isChanging.current) box.current?.querySelector<HTMLElement>('[aria-pressed="true"], [aria-expanded]')?.focus();
    isChanging.current = false;
  }, [savedViews.value]);
  return (
    <div class="row views" role="group" aria-label="Views" ref={box}>
      {all.map((view, i) => (
        <span key={`${view.name} ${i}`} class="view">
          <button
            type="button"
            class="chip"
            aria-pressed={view.filter === filter}
            title={view.filter}
            onClick={() => onFilter(view.filter)}
          >
            <span class="cut">{view.name}</span>
          </button>
          {i >= defaultViews.length && view.filter === filter && (
            <Button
              small
              kind="quiet"
              icon="close"
              label={`Delete the view ${view.name}`}
              onClick={() => change(savedViews.value.filter((other) => other !== view))}
            />
          )}
        </span>
      ))}
      {!isKnown && <SaveView onSave={(name) => change([...savedViews.value, { name, filter }])} />}
    </div>
  );
}

function SaveView({ onSave }: { onSave: (name: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const isFull = savedViews.value.length >= maxViews;
  return (
    <Popover
      open={isOpen}
      onClose={() => setOpen(false)}
      label="Save this view"
      side="left"
      button={
        <button type="button" class="chip" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Save view…
        </button>
      }
    >
      <form
        class="stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          if (isFull || name.trim() === '') return;
          setOpen(false);
          onSave(name.trim().slice(0, 40));
        }}
      >
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          hint={
            isFull
              ? `This browser has ${maxViews} saved views, the maximum. Delete one first.`
              : 'Stored in this browser. The URL of the page contains the filter too.'
          }
        />
        <Button kind="primary" type="submit" disabled={isFull || name.trim() === ''}>
          Save
        </Button>
      </form>
    </Popover>
  );
}
