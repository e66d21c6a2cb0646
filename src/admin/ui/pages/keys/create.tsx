import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConfigPage, KeyChange, ProviderPage } from '../../../api-types.ts';
import { type ApiError, get, post } from '../../browser/api.ts';
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

/** What the form contains, by the members of the call; limits as `limits.rate`. */
type Draft = Readonly<Record<(typeof members)[number], string>>;

const members = [
  'name',
  'configs',
  'providers',
  'models',
  'expires',
  'limits.rate',
  'limits.tokens',
  'limits.budget',
  'limits.concurrency',
] as const;
const emptyDraft = Object.fromEntries(members.map((member) => [member, ''])) as Draft;

/** Value, change and problem of the field for a member. */
type FieldOf = (member: keyof Draft) => {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly problem: string | null;
};

export function CreateDialog({ taken, onClose, onDone }: CreateProps) {
  const [draft, setDraft] = useState(emptyDraft);
  const [isTest, setIsTest] = useState(false);
  /** The draft that was sent last. */
  const [sent, setSent] = useState(emptyDraft);
  const create = useAction<KeyChange>(onDone);
  const form = useFocusOnProblem(create.error);
  const name = draft.name.trim();
  const isTaken = taken.includes(name);
  const param = members.find((member) => member === create.error?.param);
  const problemOf = (member: keyof Draft): string | null => {
    if (member === 'name' && isTaken) return 'A key has this name already';
    // Until the value is changed.
    return member === param && draft[member] === sent[member] ? errorText(create.error) : null;
  };
  const field: FieldOf = (member) => ({
    value: draft[member],
    onInput: (value) => setDraft((before) => ({ ...before, [member]: value })),
    problem: problemOf(member),
  });
  const send = (): void => {
    if (name === '' || isTaken) return;
    setSent(draft);
    create.run((signal) => post('/api/keys', bodyOf(draft, isTest), signal));
  };
  if (create.result !== undefined)
    return (
      <Dialog once title={`Key ${name}`} onClose={onClose} footer={<Button onClick={onClose}>I have copied it</Button>}>
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
          <Button kind="primary" disabled={create.busy || name === '' || isTaken} onClick={send}>
            Create
          </Button>
        </>
      }
    >
      <form
        class="stack"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <PermissionFields field={field} />
        <LimitFields field={field} />
        <Check label="For tests (gw_test_…)" checked={isTest} onChange={setIsTest} />
        {create.error !== undefined && param === undefined && <Problem error={create.error} />}
        <button type="submit" class="hidden-text" tabIndex={-1} aria-hidden="true">
          Create
        </button>
      </form>
    </Dialog>
  );
}

function PermissionFields({ field }: { field: FieldOf }) {
  const { data: knownConfigs } = useLoad(loadConfigs, []);
  const { data: knownProviders } = useLoad(loadProviders, []);
  return (
    <>
      <TextField label="Name" {...field('name')} placeholder="app-web" hint="Who uses it. Records and costs show this name" />
      <TextField label="Configs" {...field('configs')} hint={hintOf(knownConfigs)} />
      <TextField label="Providers" {...field('providers')} hint={hintOf(knownProviders)} />
      <TextField label="Models" {...field('models')} placeholder="gpt-4o*" hint="Separated by commas, with * for any text. Empty: all" />
      <TextField label="Expires" {...field('expires')} placeholder="90d" hint="A duration, or a date such as 2027-03-01. Empty: never" />
    </>
  );
}

function LimitFields({ field }: { field: FieldOf }) {
  return (
    <fieldset class="stack tight">
      <legend>Limits, each optional</legend>
      <div class="fields">
        <TextField label="Requests" {...field('limits.rate')} placeholder="60/min" hint="Per s, min, h or day" />
        <TextField
          label="Tokens"
          {...field('limits.tokens')}
          placeholder="200k/min"
          hint="Of requests and responses together, per s, min, h or day"
        />
        <TextField label="Budget" {...field('limits.budget')} placeholder="50USD/month" hint="Cost per calendar day, week or month (UTC)" />
        <TextField label="Requests in flight" {...field('limits.concurrency')} placeholder="20" hint="At the same time" />
      </div>
    </fieldset>
  );
}

function bodyOf(draft: Draft, isTest: boolean) {
  const text = (member: keyof Draft): string | undefined => draft[member].trim() || undefined;
  const count = text('limits.concurrency');
  const limits = {
    rate: text('limits.rate'),
    tokens: text('limits.tokens'),
    budget: text('limits.budget'),
    // The gateway rejects a text.
    concurrency: count !== undefined && /^\d+$/.test(count) ? Number(count) : count,
  };
  return {
    name: text('name'),
    configs: parseList(draft.configs),
    providers: parseList(draft.providers),
    models: parseList(draft.models),
    expires: text('expires'),
    limits: Object.values(limits).every((limit) => limit === undefined) ? undefined : limits,
    test: isTest ? true : undefined,
  };
}

function errorText(error: ApiError | undefined): string | null {
  if (error === undefined) return null;
  const { message, hint } = error;
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${hint === null ? '' : ` ${hint}`}`;
}

/** A ref to a form, whose first field with a problem gets the focus after an error. */
function useFocusOnProblem(error: ApiError | undefined): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const input = error === undefined ? null : form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    input?.focus();
    input?.closest('.field')?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  return form;
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
