import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ConfigView, Status } from '../../../api-types.ts';
import type { Explanation } from '../../../../core/logs/explanation.ts';
import { type ApiError, get, post } from '../../browser/api.ts';
import { useLoad } from '../../browser/load.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/form.tsx';
import { Notice, Panel, Problem } from '../../components/surface.tsx';
import { Choice } from '../../components/tabs.tsx';
import { ExplanationView } from '../../log/explanation.tsx';
import { useAction } from '../../parts/use-action.ts';
import { KeyField, useKeyNames } from './key-field.tsx';
import { Assume, slugsOf } from './assume.tsx';
import { useConfigs } from './use-configs.ts';
import { type ExplainInput, explainBody, hasNoTarget, headerProblem, problemOf } from './explain-input.ts';

const paths = ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings', '/v1/completions', '/v1/images/generations'];

const blank: ExplainInput = {
  way: 'text',
  model: '',
  user: 'hi',
  body: '{\n  "model": "gpt-4o-mini",\n  "messages": [{"role": "user", "content": "hi"}]\n}',
  path: '/v1/chat/completions',
  config: '',
  key: '',
  headers: '',
  assume: {},
};

/** Explains what would happen to a request. It uses the code of real traffic, but sends nothing. */
export function ExplainForm({ current: shown }: { current: ConfigView | undefined }) {
  const current = shown?.name ?? '';
  const [input, setInput] = useState<ExplainInput>({ ...blank, config: current });
  const explain = useAction<Explanation>();
  const keys = useKeyNames(input.key);
  const status = useLoad((signal) => get<Status>('/api/status', {}, signal), []);
  const set = (change: Partial<ExplainInput>): void => setInput((before) => ({ ...before, ...change }));
  useLayoutEffect(() => set({ config: current, assume: {} }), [current]);
  // If callers need a key, select one: without it, the request would only be rejected.
  useLayoutEffect(() => setInput((before) => ({ ...before, key: before.key === '' ? (keys.first ?? '') : before.key })), [keys.first]);
  const problem = problemOf(input);
  // Do not explain while a name is being typed.
  const [tried, setTried] = useState<string>();
  const wrongHeader = headerProblem(input);
  const { names, chosen } = useConfigs(input.config, shown);
  // Those of the last config, while another one is typed or loaded.
  const slugs = useRef<readonly string[]>([]);
  if (input.config === '') slugs.current = (status.data?.providers ?? []).map(({ slug }) => slug);
  else if (chosen !== undefined) slugs.current = slugsOf(chosen.root);
  return (
    <>
      <Panel title="Explain a request" aside={<span class="muted small">nothing is sent</span>}>
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            setTried(input.headers);
            if (problem === null && wrongHeader === null)
              explain.run((signal) => post<Explanation>('/api/explain', explainBody(input), signal));
          }}
        >
          <Choice
            label="How to enter the request"
            value={input.way}
            onChange={(way) => set({ way })}
            options={[
              ['text', 'Model and text'],
              ['body', 'Complete body'],
            ]}
          />
          {input.way === 'text' ? (
            <div class="fields">
              <TextField
                label="Model"
                value={input.model}
                onInput={(model) => set({ model })}
                placeholder="@openai-main/gpt-4o-mini"
                hint="Empty: the body has no model"
              />
              <TextField label="User message" value={input.user} onInput={(user) => set({ user })} />
            </div>
          ) : (
            <TextField label="Body" rows={9} value={input.body} onInput={(body) => set({ body })} problem={problem} />
          )}
          <div class="fields">
            <TextField label="Path" value={input.path} onInput={(path) => set({ path })} list={paths} />
            <TextField
              label="Config"
              value={input.config}
              onInput={(config) => set({ config })}
              list={names}
              hint="As in x-gateway-config; empty: none"
            />
            <KeyField value={input.key} onInput={(key) => set({ key })} keys={keys} />
          </div>
          <TextField
            label="Headers"
            rows={2}
            value={input.headers}
            onInput={(headers) => set({ headers })}
            placeholder={'x-gateway-metadata: {"plan": "paid"}'}
            problem={tried === input.headers ? wrongHeader : null}
            hint="One per line: name: value"
          />
          <Assume slugs={slugs.current} value={input.assume} onChange={(assume) => set({ assume })} />
          <div class="row">
            <Button kind="primary" type="submit" icon="explain" disabled={explain.busy || problem !== null}>
              Explain
            </Button>
          </div>
        </form>
      </Panel>
      <Result explanation={explain.result} error={explain.error} />
    </>
  );
}

/** Shows itself, because it is below the form. Announced by its title only, because it is long. */
function Result({ explanation, error }: { explanation: Explanation | undefined; error: ApiError | undefined }) {
  const ref = useRef<HTMLElement>(null);
  const isShown = explanation !== undefined && error === undefined;
  useEffect(() => {
    if (explanation !== undefined || error !== undefined) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [explanation, error]);
  return (
    <section ref={ref} aria-label="Explanation" class="stack">
      <span role="status" class="hidden-text">
        {isShown && 'The explanation is below the form'}
      </span>
      {error !== undefined && <Problem error={error} />}
      {isShown && (
        <>
          {hasNoTarget(explanation) && <Notice tone="info" title="No target would be tried" />}
          <Panel title="What would happen">
            <ExplanationView explanation={explanation} />
          </Panel>
        </>
      )}
    </section>
  );
}
