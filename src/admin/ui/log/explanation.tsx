import { limitsText } from '../../../core/limits/limits-text.ts';
import type { ExplainedTarget, Explanation, RouteNode } from '../../../core/logs/explanation.ts';
import { usd } from '../browser/format.ts';
import { Code } from '../components/code.tsx';
import { Differences, OriginLabel } from '../components/difference.tsx';
import { Badge, Facts } from '../components/display.tsx';
import { Url } from './url.tsx';
import { Notice, Panel } from '../components/surface.tsx';

/** The route of a request through the configuration, as `gateway explain` prints it. */
export function ExplanationView({ explanation }: { explanation: Explanation }) {
  const {
    request,
    key,
    limits,
    config,
    prompt,
    overruled,
    route,
    targets,
    plugins,
    removed_headers: removed,
    warnings,
    log,
    answer,
  } = explanation;
  return (
    <div class="stack">
      {answer !== null && (
        <Notice tone={answer.status >= 400 ? 'bad' : 'info'} title={`${answer.status}: ${answer.message}`}>
          {answer.hint !== null && <p>{answer.hint}</p>}
        </Notice>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn" title={warning} />
      ))}
      <Facts
        rows={[
          ['request', <code key="r">{`${request.method} ${request.path}`}</code>],
          ['key', key.name === null ? 'none' : <Located key="k" text={key.name} at={key.at} />],
          ['limits', limits === null ? null : <Located key="i" text={limitsText(limits)} at={limits.at} />],
          ['config', config === null ? 'none' : <Located key="c" text={`${config.name} (from ${config.by})`} at={config.at} />],
          ['prompt', prompt === null ? null : `${prompt.id} version ${prompt.version}`],
          ['log', <Located key="l" text={`bodies ${log.bodies}`} at={log.at} />],
        ]}
      />
      {overruled.map(({ choice, value, by }) => (
        <Notice key={choice} tone="info" title={`${choice}: ${value} was ignored, because ${by} takes precedence`} />
      ))}
      {route.map((node) => (
        <RouteStep key={node.node} node={node} />
      ))}
      {targets.map((target, i) => (
        <Target key={target.target} target={target} before={targets[i - 1]} />
      ))}
      {plugins.some(({ said }) => said !== null) && <Facts rows={plugins.map(({ name, moment, said }) => [`${name} (${moment})`, said])} />}
      {removed.length > 0 && (
        <Panel title="Headers that are not forwarded">
          <Facts rows={removed.map(({ name, why }) => [name, why])} />
        </Panel>
      )}
    </div>
  );
}

const Located = ({ text, at }: { text: string; at: Explanation['key']['at'] }) => (
  <>
    {text} <OriginLabel at={at} />
  </>
);

function RouteStep({ node }: { node: RouteNode }) {
  return (
    <Panel title={`${node.strategy} at ${node.node}`} aside={<OriginLabel at={node.at} />}>
      <div class="stack tight">
        <p>{node.because}</p>
        {node.conditions.map(({ text, matched, why, at }) => (
          <div key={text} class="row">
            <Badge tone={matched ? 'ok' : 'off'}>{matched ? 'matches' : 'does not match'}</Badge>
            <code class="break">{text}</code>
            <span class="muted">{why}</span>
            <OriginLabel at={at} />
          </div>
        ))}
      </div>
    </Panel>
  );
}

/** Condition under which a target is called, as `gateway explain` prints it. */
function whenOf({ left_on: left, problem, ...target }: ExplainedTarget, before: ExplainedTarget | undefined): string {
  if (left.startsWith('left')) return left;
  if (!responds(target)) return problem === null ? `left out: ${left}` : 'not possible';
  return before === undefined ? '' : `if the previous one ends in ${responds(before) ? before.left_on : 'an error'}`;
}

const responds = ({ url, local }: Pick<ExplainedTarget, 'url' | 'local'>): boolean => url !== null || local;

function Target({ target, before }: { target: ExplainedTarget; before: ExplainedTarget | undefined }) {
  const {
    provider,
    model,
    deployment,
    goes_here: goes,
    left_on: left,
    problem,
    local,
    url,
    method,
    headers,
    body,
    differences,
    retry,
    cache,
    circuit,
    timeouts,
    cost_usd: cost,
  } = target;
  return (
    <Panel
      title={
        <>
          {model === '' ? provider : `${provider}/${model}`} {deployment !== null && <span class="muted">deployment {deployment}</span>}
        </>
      }
      aside={goes ? <Badge tone="ok">goes here</Badge> : <Badge tone="idle">{whenOf(target, before)}</Badge>}
    >
      <div class="stack tight">
        {problem !== null && <Notice tone="warn" title={problem} />}
        <Facts
          rows={[
            ['defined at', target.at === null ? null : <OriginLabel key="p" at={target.at} />],
            ['sends', local ? 'nothing: it responds without a network' : null],
            ['url', url === null ? null : <Url key="u" text={`${method ?? 'POST'} ${url}`} />],
            ['retry', retry],
            ['cache', cache],
            ['circuit', circuit],
            [
              'timeouts',
              Object.entries(timeouts)
                .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
                .join(' · '),
            ],
            ['next target on', !responds(target) || left.startsWith('left') ? null : left],
            ['price of the input', cost === null ? 'unknown price' : usd(cost)],
            ...headers.map(([name, value]) => [name, <code key={name}>{value}</code>] as const),
          ]}
        />
        {differences.length > 0 && <Differences list={differences} />}
        {body !== null && <Code text={body} language="json" what="upstream body" />}
      </div>
    </Panel>
  );
}
