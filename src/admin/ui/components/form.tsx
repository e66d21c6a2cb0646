import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly problem?: string | null | undefined;
  readonly children: (attributes: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => ComponentChildren;
}

/** Label, control, hint and error message, linked for assistive technology. */
function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const hasProblem = problem !== undefined && problem !== null && problem !== '';
  const described = hint !== undefined || hasProblem ? `${id}-more` : undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': hasProblem ? true : undefined })}
      {described !== undefined && (
        <div id={described}>
          {hasProblem && <div class="problem">{problem}</div>}
          {hint !== undefined && <div class="hint">{hint}</div>}
        </div>
      )}
    </div>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly problem?: string | null | undefined;
  readonly placeholder?: string;
  readonly type?: 'text' | 'password' | 'number';
  readonly rows?: number;
  readonly list?: readonly string[];
}

/** A text field, or a text area with `rows`; `list` provides suggestions. */
export function TextField({ label, value, onInput, hint, problem, placeholder, type = 'text', rows, list }: TextProps) {
  const listId = useId();
  const input = (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) => onInput(event.currentTarget.value);
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(attributes) =>
        rows === undefined ? (
          <>
            <input
              class="input"
              {...attributes}
              // The library's types bind each input type to other attributes.
              type={type as 'text'}
              value={value}
              placeholder={placeholder}
              onInput={input}
              autocomplete="off"
              spellcheck={false}
              {...(list === undefined ? {} : { list: listId })}
            />
            {list !== undefined && (
              <datalist id={listId}>
                {list.map((entry) => (
                  <option key={entry} value={entry} />
                ))}
              </datalist>
            )}
          </>
        ) : (
          <textarea class="input" {...attributes} rows={rows} value={value} placeholder={placeholder} onInput={input} spellcheck={false} />
        )
      }
    </Field>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly hint?: ComponentChildren;
}

export function SelectField({ label, value, onInput, options, hint }: SelectProps) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <select class="input" {...attributes} value={value} onChange={(event) => onInput(event.currentTarget.value)}>
          {options.map(([key, name]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Check({ label, checked, onChange }: { label: ComponentChildren; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
