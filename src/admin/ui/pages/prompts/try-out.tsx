import { useEffect, useState } from 'preact/hooks';
import type { PromptRender, PromptTry, PromptView } from '../../../api-types.ts';
import { post } from '../../browser/api.ts';
import { type Loaded, useLoad } from '../../browser/load.ts';
import { count, usd } from '../../browser/format.ts';
import { notify } from '../../browser/notify.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Badge } from '../../components/display.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { Notice, Panel, Problem } from '../../components/surface.tsx';
import { requestHref } from '../../log/terms.ts';
import { useAction } from '../../parts/use-action.ts';
import { errorIn, messagesIn, replyIn, tokensIn, valueOf } from './texts.ts';

interface TryOutProps {
  readonly prompt: PromptView;
  readonly version: number;
  readonly onVersion: (version: number) => void;
  /** Called after each run. */
  readonly onRun: () => void;
}

const pauseMs = 300;

/** A field for each variable, the rendered messages, and a button for a real run. */
export function TryOut({ prompt, version, onVersion, onRun }: TryOutProps) {
  const { id, versions } = prompt;
  const variables = versions.find(({ number }) => number === version)?.variables ?? prompt.variables;
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [key, setKey] = useState('');
  const run = useAction<PromptTry>(onRun, ({ status, id: request }) =>
    notify(
      `The run of ${id} ended with status ${status}.`,
      status < 400 ? 'ok' : 'bad',
      request === null ? undefined : requestHref(request),
    ),
  );
  const path = `/api/prompts/${encodeURIComponent(`${id}@${version}`)}`;
  // A variable may have the name of an inherited property.
  const textOf = (name: string): string => (Object.hasOwn(texts, name) ? (texts[name] ?? '') : '');
  const values = Object.fromEntries(variables.flatMap(({ name }) => (textOf(name) === '' ? [] : [[name, valueOf(textOf(name))]])));
  const missing = variables
    .filter(({ name, required, default: defaultValue }) => required && defaultValue === null && !Object.hasOwn(values, name))
    .map(({ name }) => name);
  const settled = useDebounced(JSON.stringify(values));
  const preview = useLoad(
    async (signal) => (missing.length > 0 ? undefined : post<PromptRender>(`${path}/render`, { variables: values }, signal)),
    [path, settled],
  );
  const send = (): void => run.run((signal) => post(`${path}/try`, { variables: values, ...(key === '' ? {} : { key }) }, signal));
  return (
    <div class="halves">
      <Panel title="Try it" aside={<span class="muted small">the provider charges for a run as for any request</span>}>
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <SelectField
            label="Version"
            value={String(version)}
            onInput={(text) => onVersion(Number(text))}
            options={versions
              .toReversed()
              .map(({ number, published, labels }) => [
                String(number),
                [`${number}`, published ? 'published' : '', ...labels].filter(Boolean).join(' · '),
              ])}
          />
          {variables.length === 0 && <p class="muted">This prompt has no variables.</p>}
          {variables.map(({ name, required, default: defaultValue }) => (
            <TextField
              key={name}
              label={required ? `${name} (required)` : name}
              value={textOf(name)}
              onInput={(text) => setTexts((before) => ({ ...before, [name]: text }))}
              rows={2}
              {...(defaultValue === null ? {} : { placeholder: defaultValue })}
            />
          ))}
          <TextField
            label="API key"
            type="password"
            value={key}
            onInput={setKey}
            hint="A gateway API key, if the gateway requires one. Used for this run only, not stored."
          />
          <div class="row">
            <Button kind="primary" type="submit" icon="play" disabled={run.busy}>
              {run.busy ? 'Running…' : 'Run it'}
            </Button>
          </div>
        </form>
      </Panel>
      <div class="stack">
        <Preview preview={preview} missing={missing} />
        <p class="hidden-text" role="status">
          {run.busy ? 'The run has started.' : run.result !== undefined && run.error === undefined && stateOf(run.result)}
        </p>
        {run.error !== undefined && <Problem error={run.error} />}
        {run.result !== undefined && run.error === undefined && <Response result={run.result} />}
      </div>
    </div>
  );
}

function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function Preview({ preview: { data, error }, missing }: { preview: Loaded<PromptRender | undefined>; missing: readonly string[] }) {
  return (
    <Panel title="What is sent" aside={error === undefined && data !== undefined && <code class="muted break">{data.name}</code>}>
      <div class="stack tight">
        {missing.length > 0 && <Notice tone="info" title={`Fill in ${missing.join(', ')} to see what is sent`} />}
        {error !== undefined && (
          <Notice tone="info" title={error.message}>
            {error.hint !== null && <p>{error.hint}</p>}
          </Notice>
        )}
        {error === undefined && data?.warnings.map((warning) => <Notice key={warning} tone="warn" title={warning} />)}
        {error === undefined && data !== undefined && (
          <div class="stack tight">
            {messagesIn(data.body).map(({ role, text }, i) => (
              <div key={i} class="rendered">
                <h3>{role}</h3>
                <p tabIndex={0}>{text}</p>
              </div>
            ))}
            <details>
              <summary>Body as JSON</summary>
              <Code text={pretty(data.body)} language="json" what="body" />
            </details>
          </div>
        )}
      </div>
    </Panel>
  );
}

/** What screen readers announce, rather than the whole response. */
function stateOf(result: PromptTry): string {
  const { status, body } = result;
  if (status >= 400) return `The run failed with status ${status}. ${errorIn(body) ?? ''}`;
  return `The run is done. ${usageOf(result)}`;
}

function usageOf({ body, cost_usd: cost }: PromptTry): string {
  const tokens = tokensIn(body);
  return [
    ...(tokens === null ? [] : [`${count(tokens[0])} tokens in, ${count(tokens[1])} out`]),
    ...(cost === null ? [] : [usd(cost)]),
  ].join(' · ');
}

function Response({ result }: { result: PromptTry }) {
  const { status, id, body } = result;
  const text = replyIn(body);
  return (
    <Panel
      title="Response"
      aside={
        <>
          <Badge tone={status >= 400 ? 'bad' : 'ok'}>{status}</Badge>
          {id !== null && <a href={requestHref(id)}>Open the request</a>}
        </>
      }
    >
      {text === null ? (
        <Code text={pretty(body)} language="json" what="response" />
      ) : (
        <p class="reply" tabIndex={0}>
          {text}
        </p>
      )}
      <p class="muted small">{usageOf(result)}</p>
    </Panel>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
