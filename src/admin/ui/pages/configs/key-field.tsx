import { useRef } from 'preact/hooks';
import type { KeyPage } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { useLoad } from '../../browser/load.ts';
import { SelectField, TextField } from '../../components/form.tsx';

export interface KeyNames {
  /** Of one page. */
  readonly names: readonly string[];
  /** The first key that works; undefined if not loaded yet, or if there is none. */
  readonly first: string | undefined;
  /** True if they do not fit on one page. */
  readonly areMany: boolean;
}

/** The names of all API keys, or of those that match the typed text if there are many. */
export function useKeyNames(typed: string): KeyNames {
  const first = useRef<{ readonly name: string | undefined; readonly areMany: boolean }>(undefined);
  const q = first.current?.areMany === true ? typed : '';
  const { data } = useLoad((signal) => get<KeyPage>('/api/keys', { q, usage: 'false' }, signal), [q]);
  if (data !== undefined)
    first.current ??= { name: data.keys.find(({ revoked }) => revoked === null)?.name, areMany: data.total > data.keys.length };
  return { names: (data?.keys ?? []).map(({ name }) => name), first: first.current?.name, areMany: first.current?.areMany === true };
}

const hint = 'Its rules apply; its secret is not needed';

/** A select field, or a text field with suggestions if there are many keys. */
export function KeyField({ value, onInput, keys }: { value: string; onInput: (key: string) => void; keys: KeyNames }) {
  if (keys.areMany) return <TextField label="API key" value={value} onInput={onInput} list={keys.names} hint={`${hint}; empty: none`} />;
  const options = [['', 'none'], ...keys.names.map((name) => [name, name] as const)] as const;
  return <SelectField label="API key" value={value} onInput={onInput} options={options} hint={hint} />;
}
