import type { ComponentChildren } from 'preact';
import type { KeyView } from '../../../api-types.ts';
import { gatewayNow } from '../../browser/gateway-state.ts';
import { day, plural, usd } from '../../browser/format.ts';
import { hasRole } from '../../browser/session.ts';
import { Button } from '../../components/button.tsx';
import { OriginLabel } from '../../components/difference.tsx';
import { Ago, Badge } from '../../components/display.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { joinTerms, requestsHref, term } from '../../log/terms.ts';
import { Limits } from './limits.tsx';

interface KeyTableProps {
  readonly keys: readonly KeyView[];
  readonly onRotate: (name: string) => void;
  readonly onRevoke: (name: string) => void;
}

const week = 7 * 86_400_000;
const unknown = <span class="muted">–</span>;

const limitsColumn: Column<KeyView> = { name: 'Limits', cell: ({ name, limits }) => <Limits name={name} limits={limits} /> };

export function KeyTable({ keys, onRotate, onRevoke }: KeyTableProps) {
  const columns: Column<KeyView>[] = [
    { name: 'Name', cell: (key) => <Name entry={key} /> },
    { name: 'State', cell: (key) => <State entry={key} /> },
    { name: 'Secrets', cell: (key) => <Secrets entry={key} /> },
    { name: 'May use', cell: (key) => <Scope entry={key} /> },
    ...(keys.some(({ limits }) => limits !== null) ? [limitsColumn] : []),
    {
      name: 'Today (UTC)',
      isNumber: true,
      cell: ({ name, requests_today: today }) =>
        today === null ? (
          unknown
        ) : (
          <a href={requestsHref(joinTerms(term('key', name), `since:${new Date().toISOString().slice(0, 10)}`))}>
            {plural(today, 'request')}
          </a>
        ),
    },
    {
      name: 'This month',
      isNumber: true,
      cell: ({ cost_month_usd: cost }) => (cost === null ? unknown : <span title={cost}>{usd(cost)}</span>),
    },
  ];
  if (hasRole('admin'))
    columns.push({
      name: 'Change',
      cell: ({ name, revoked }) =>
        revoked !== null ? (
          <span class="muted">–</span>
        ) : (
          <span class="row key-actions">
            <Button small label={`Rotate ${name}`} onClick={() => onRotate(name)}>
              Rotate…<span class="hidden-text"> {name}</span>
            </Button>
            <Button small kind="danger" label={`Revoke ${name}`} onClick={() => onRevoke(name)}>
              Revoke…<span class="hidden-text"> {name}</span>
            </Button>
          </span>
        ),
    });
  return (
    <Table
      caption="API keys"
      rows={keys}
      rowKey={({ name }) => name}
      columns={columns}
      empty={<p class="muted padded">No key matches all of these words.</p>}
    />
  );
}

function Name({ entry: { name, at, created } }: { entry: KeyView }) {
  return (
    <span class="stack-cell key-name">
      <strong class="break clamp">{name}</strong>
      <OriginLabel at={at} />
      {created !== null && <span class="muted small nowrap">created {day(created)}</span>}
    </span>
  );
}

function State({ entry: { revoked, expires } }: { entry: KeyView }) {
  const now = gatewayNow();
  if (revoked !== null)
    return (
      <span class="stack-cell">
        <Badge tone="off">revoked</Badge>
        <span class="muted small">
          <Ago at={revoked} />
        </span>
      </span>
    );
  if (expires === null) return <Badge tone="ok">works</Badge>;
  const tone = expires < now ? 'bad' : expires < now + week ? 'warn' : 'ok';
  return (
    <span class="stack-cell">
      <Badge tone={tone}>{expires < now ? 'expired' : 'works'}</Badge>
      <span class="muted small">
        {expires < now ? 'since' : 'until'} <span class="nowrap">{day(expires)}</span>
      </span>
    </span>
  );
}

function Secrets({ entry: { secrets, requests_today: today } }: { entry: KeyView }) {
  return (
    <ul class="stack-cell secrets">
      {secrets.map(({ id, prefix, last_used: used, retires }) => (
        <li key={id} class="stack-cell">
          <code class="cut" title={id}>
            {prefix === null ? id : `${prefix}…`}
          </code>
          <span class="muted small">
            {used === null ? (
              today === null ? (
                'last use not known'
              ) : (
                'never used'
              )
            ) : (
              <>
                used <Ago at={used} />
              </>
            )}
            {retires !== null && (
              <>
                , ends <Ago at={retires} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

const kinds = ['configs', 'providers', 'models', 'prompts'] as const;
const maxNames = 4;

function Scope({ entry }: { entry: KeyView }): ComponentChildren {
  const limited = kinds.filter((kind) => entry[kind] !== null);
  const { default_config: defaultConfig, enforce_config: isEnforced, bodies } = entry;
  return (
    <span class="stack-cell scopes">
      {limited.length === 0 && !isEnforced && <span class="muted">everything</span>}
      {defaultConfig !== null && (
        <span class="clamp" title={defaultConfig}>
          <span class="muted">{isEnforced ? 'only config' : 'default config'}: </span>
          {defaultConfig}
        </span>
      )}
      {limited.map((kind) => {
        const names = entry[kind] ?? [];
        return (
          <span key={kind} class="clamp" title={names.join(', ')}>
            <span class="muted">{kind}: </span>
            {names.length === 0 ? 'none' : names.slice(0, maxNames).join(', ')}
            {names.length > maxNames && ` and ${names.length - maxNames} more`}
          </span>
        );
      })}
      {bodies !== null && (
        <span>
          <span class="muted">bodies: </span>
          {bodies}
        </span>
      )}
    </span>
  );
}
