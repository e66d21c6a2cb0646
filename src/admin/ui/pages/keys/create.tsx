import { useState } from 'preact/hooks';
import type { ConfigPage, KeyChange, ProviderPage } from '../../../api-types.ts';
import { get, post } from '../../browser/api.ts';
import { useLoad } from '../../browser/load.ts';
import { Button } from '../../components/button.tsx';
import { Check, TextField } from '../../components/form.tsx';
import { Dialog, Problem } from '../../components/surface.tsx';
import { useAction } from '../../parts/use-action.ts';
import { Issued } from './issued.tsx';
import { parseList } from './parse-list.ts';

/** Number of names in a hint. */
const maxNames = 8;

interface CreateProps {
  readonly taken: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CreateDialog({ taken, onClose, onDone }: CreateProps) {
  const [name, setName] = useState('');
  const [configs, setConfigs] = useState('');
  const [providers, setProviders] = useState('');
  const [models, setModels] = useState('');
  const [expires, setExpires] = useState('');
  const [isTest, setIsTest] = useState(false);
  const create = useAction<KeyChange>(onDone);
  const { data: knownConfigs } = useLoad(loadConfigs, []);
  const { data: knownProviders } = useLoad(loadProviders, []);
  const problem = taken.includes(name.trim()) ? 'A key has this name already' : null;
  const send = (): void => {
    if (name.trim() === '' || problem !== null) return;
    const body = {
      name: name.trim(),
      configs: parseList(configs),
      providers: parseList(providers),
      models: parseList(models),
      expires: expires.trim() === '' ? undefined : expires.trim(),
      test: isTest ? true : undefined,
    };
    create.run((signal) => post('/api/keys', body, signal));
  };
  if (create.result !== undefined)
    return (
      <Dialog once title={`Key ${name.trim()}`} onClose={onClose} footer={<Button onClick={onClose}>I have copied it</Button>}>
        <Issued change={create.result} />
      </Dialog>
    );
  return (
    <Dialog
      title="Create a key"
      busy={create.busy}
      onClose={onClose}
      footer={
        <>
          <Button disabled={create.busy} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" disabled={create.busy || name.trim() === '' || problem !== null} onClick={send}>
            Create
          </Button>
        </>
      }
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          placeholder="app-web"
          hint="Who uses it. Records and costs show this name"
          problem={problem}
        />
        <TextField label="Configs" value={configs} onInput={setConfigs} hint={hintOf(knownConfigs)} />
        <TextField label="Providers" value={providers} onInput={setProviders} hint={hintOf(knownProviders)} />
        <TextField
          label="Models"
          value={models}
          onInput={setModels}
          placeholder="gpt-4o*"
          hint="Separated by commas, with * for any text. Empty: all"
        />
        <TextField
          label="Expires"
          value={expires}
          onInput={setExpires}
          placeholder="90d"
          hint="A duration, or a date such as 2027-03-01. Empty: never"
        />
        <Check label="For tests (gw_test_…)" checked={isTest} onChange={setIsTest} />
        {create.error !== undefined && <Problem error={create.error} />}
        <button type="submit" class="hidden-text" tabIndex={-1} aria-hidden="true">
          Create
        </button>
      </form>
    </Dialog>
  );
}

/** The first names of a list, and the number of all. */
interface KnownNames {
  readonly names: readonly string[];
  readonly total: number;
}

async function loadConfigs(signal: AbortSignal): Promise<KnownNames> {
  const { configs, total } = await get<ConfigPage>('/api/configs', { limit: maxNames }, signal);
  return { names: configs.map(({ name }) => name), total };
}

async function loadProviders(signal: AbortSignal): Promise<KnownNames> {
  const { providers, total } = await get<ProviderPage>('/api/providers', { limit: maxNames, usage: 'false' }, signal);
  return { names: providers.map(({ slug }) => slug), total };
}

function hintOf({ names, total }: KnownNames = { names: [], total: 0 }): string {
  const baseHint = 'Separated by commas. Empty: all';
  if (names.length === 0) return baseHint;
  return `${baseHint}. Available: ${names.join(', ')}${total > names.length ? ` and ${total - names.length} more` : ''}`;
}
