import type { TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Suggestion } from '../../../../../core/logs/reader.ts';
import type { FilterProblem } from '../../../../../query/filter.ts';
import { parseFilter } from '../../../../../query/parse.ts';
import { gatewayNow } from '../../../browser/gateway-state.ts';
import { useShortcuts } from '../../../browser/shortcuts.ts';
import { Button } from '../../../components/button.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Suggestions } from './suggestions.tsx';
import { useSuggestions } from './use-suggestions.ts';

export function problemOf(text: string): FilterProblem | undefined {
  const parsed = parseFilter(text, gatewayNow());
  return 'problem' in parsed ? parsed.problem : undefined;
}

interface FilterBarProps {
  /** The active filter. */
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

/** Enter applies the filter. A syntax error is shown, and the list does not change. */
export function FilterBar({ filter, onFilter }: FilterBarProps) {
  const [text, setText] = useState(filter);
  const [problem, setProblem] = useState<FilterProblem>();
  const input = useRef<HTMLInputElement>(null);
  /** Cursor position to set after the text is in the field. */
  const caret = useRef<number | undefined>(undefined);
  const id = useId();
  const { list, active, activate, request, close } = useSuggestions(text);
  // In a layout effect, because a key between the render and an effect would be lost.
  useLayoutEffect(() => {
    setText(filter);
    setProblem(problemOf(filter));
  }, [filter]);
  useLayoutEffect(() => {
    const at = caret.current;
    caret.current = undefined;
    if (at === undefined) return;
    input.current?.focus();
    input.current?.setSelectionRange(at, at);
  });
  useShortcuts([{ keys: '/', does: 'write a filter', group: 'Requests', run: () => input.current?.focus() }]);

  const apply = (next: string): void => {
    const found = problemOf(next);
    setProblem(found);
    close();
    if (found === undefined) onFilter(next.trim());
  };
  const accept = ({ insert, from, to, kind }: Suggestion): void => {
    const next = `${text.slice(0, from)}${insert}${kind === 'value' ? ' ' : ''}${text.slice(to).trimStart()}`;
    const at = from + insert.length + (kind === 'value' ? 1 : 0);
    setText(next);
    setProblem(undefined);
    close();
    caret.current = at;
    if (kind === 'field') request(next, at);
  };
  /** Discards text that was not applied, so that the field shows the active filter. */
  const discardChanges = (): void => {
    setText(filter);
    setProblem(problemOf(filter));
    input.current?.blur();
  };
  const clear = (): void => {
    setText('');
    apply('');
  };
  const isUnapplied = text.trim() !== filter.trim();
  const requestSuggestions = ({ value, selectionStart }: HTMLInputElement): void => request(value, selectionStart ?? value.length);
  const onKey = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    // Ignore Enter that ends the composition of Chinese or Japanese text.
    const act = event.isComposing ? undefined : actionOf(event.key, active, list.length);
    if (act === undefined) return;
    event.preventDefault();
    const entry = list[active];
    if (act === 'apply') apply(text);
    else if (act === 'accept' && entry !== undefined) accept(entry);
    else if (act === 'suggest') requestSuggestions(event.currentTarget);
    else if (act === 'close') close();
    else if (act === 'discard') discardChanges();
    else if (typeof act === 'number') activate(act);
  };
  return (
    <div class={isUnapplied ? 'filter-bar has-more' : 'filter-bar'}>
      <Icon name="search" />
      <input
        ref={input}
        class="input mono"
        type="text"
        role="combobox"
        aria-label="Filter"
        aria-autocomplete="list"
        aria-expanded={list.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        placeholder="Filter: status:>=400 model:gpt-4o* latency:>2s"
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          const { value, selectionStart } = event.currentTarget;
          setText(value);
          if (problem !== undefined) setProblem(problemOf(value));
          request(value, selectionStart ?? value.length);
        }}
        onFocus={(event) => requestSuggestions(event.currentTarget)}
        onBlur={close}
        onKeyDown={onKey}
        onKeyUp={({ key, currentTarget }) => {
          if (/^(ArrowLeft|ArrowRight|Home|End)$/.test(key)) requestSuggestions(currentTarget);
        }}
        onPointerUp={(event) => requestSuggestions(event.currentTarget)}
      />
      {isUnapplied && <EnterHint />}
      {text !== '' && <Clear onClear={clear} />}
      {problem !== undefined ? (
        <ProblemText id={`${id}-problem`} text={text} problem={problem} />
      ) : (
        <Suggestions id={id} list={list} active={active} onAccept={accept} />
      )}
    </div>
  );
}

const EnterHint = () => (
  <kbd class="unapplied" title="Enter applies the filter" aria-hidden="true">
    Enter
  </kbd>
);

const Clear = ({ onClear }: { onClear: () => void }) => (
  <Button small kind="quiet" icon="close" label="Clear the filter" onClick={onClear} />
);

/** Action of a key in the field; a number is the suggestion to activate. */
function actionOf(key: string, active: number, length: number): 'apply' | 'accept' | 'suggest' | 'close' | 'discard' | number | undefined {
  if (key === 'Enter') return active >= 0 ? 'accept' : 'apply';
  if (key === 'Tab') return active >= 0 ? 'accept' : undefined;
  if (key === 'Escape') return length > 0 ? 'close' : 'discard';
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return undefined;
  if (length === 0) return 'suggest';
  return key === 'ArrowDown' ? (active + 1) % length : (Math.max(active, 0) - 1 + length) % length;
}

/** Position and description of a syntax error. */
function ProblemText({ id, text, problem }: { id: string; text: string; problem: FilterProblem }) {
  const { from, to, message, hint } = problem;
  return (
    <div class="filter-drop filter-problem" id={id} role="alert">
      <code class="break">
        {text.slice(Math.max(0, from - 40), from)}
        <mark>{text.slice(from, Math.max(to, from + 1)) || ' '}</mark>
        {text.slice(Math.max(to, from + 1), to + 40)}
      </code>
      <p>
        Character {from + 1}: {message} {hint !== null && <span class="muted">{hint}</span>}
      </p>
    </div>
  );
}
