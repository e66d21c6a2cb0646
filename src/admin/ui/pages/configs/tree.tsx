import type { TargetView } from '../../../api-types.ts';
import { count, duration, percent, plural } from '../../browser/format.ts';
import { OriginLabel } from '../../components/difference.tsx';
import { Badge, Bar, Tag } from '../../components/display.tsx';
import { joinTerms, requestsHref, term } from '../../log/terms.ts';

/** The targets of a config, indented by depth; a list for screen readers. */
export function Tree({ config, root }: { config: string; root: TargetView }) {
  return (
    <ul class="target-tree" aria-label={`Targets of ${config}`}>
      <Branch config={config} target={root} />
    </ul>
  );
}

interface BranchProps {
  readonly config: string;
  readonly target: TargetView;
}

function Branch({ config, target }: BranchProps) {
  const { strategy, name, at, when, targets } = target;
  const isLeaf = strategy === 'leaf';
  return (
    <li>
      <div class="target">
        <div class="row">
          {isLeaf ? <span class="target-name break">{routeOf(target)}</span> : <Tag>{strategy}</Tag>}
          {name !== null && <span class="muted break">{name}</span>}
          <OriginLabel at={at} />
        </div>
        {when !== null && <code class="target-when break">{when}</code>}
        <Live config={config} target={target} />
      </div>
      {targets.length > 0 && (
        <ul>
          {targets.map((below) => (
            <Branch key={below.path} config={config} target={below} />
          ))}
        </ul>
      )}
    </li>
  );
}

function routeOf({ provider, model }: TargetView): string {
  if (provider === null) return model === null ? 'from the request' : `${model}, provider from the request`;
  return model === null ? provider : `${provider}/${model}`;
}

/** Share of failures above which the figure is coloured. */
const manyErrors = 0.05;

function Live({ config, target }: BranchProps) {
  const { live, provider } = target;
  const { share, requests, errors, left_out: leftOut, p95 } = live;
  const left = leftOut > 0 && provider !== null && <Badge tone="warn">skipped {count(leftOut)}×</Badge>;
  if (requests === 0) return left === false ? <p class="muted small">no attempts</p> : <div class="target-live">{left}</div>;
  const filter = joinTerms(term('config', config), provider === null ? '' : term('provider', provider));
  return (
    <div class="target-live">
      <Bar parts={[share ?? 1]} of={1} />
      <span class="num">{share === null ? '–' : percent(share, 1)}</span>
      <a href={requestsHref(filter, '1h')}>{plural(requests, 'attempt')}</a>
      {errors / requests > manyErrors ? (
        <Badge tone="bad">{percent(errors, requests)} errors</Badge>
      ) : (
        <span class="muted nowrap">{percent(errors, requests)} errors</span>
      )}
      <span class="muted nowrap">p95 {duration(p95)}</span>
      {left}
    </div>
  );
}
