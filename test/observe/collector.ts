import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { until } from '../support/gateway.ts';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly Value[] };
}

interface Item {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}

export interface SeenSpan extends Item {
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
}

export interface SeenLog extends Item {
  readonly severityText: string;
  readonly eventName: string;
  readonly body: { readonly stringValue: string };
}

interface Export {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A collector that keeps what it is sent. */
export interface Collector {
  readonly url: string;
  readonly exports: Export[];
  /** Statuses of the next responses; 200 when empty. */
  readonly statuses: (readonly [status: number, headers?: Readonly<Record<string, string>>, body?: string])[];
  spans(): readonly SeenSpan[];
  logs(): readonly SeenLog[];
  /** Of the trace, once this many have come. */
  trace(traceId: string, count: number): Promise<readonly SeenSpan[]>;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const exports: Export[] = [];
  const statuses: Collector['statuses'] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const [status, headers, body] = statuses.shift() ?? [200];
      if (status === 200) exports.push({ path: request.url ?? '', headers: request.headers, text: gunzipSync(bytes).toString() });
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body ?? '{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const spans = (): readonly SeenSpan[] => itemsIn(exports, 'spans') as readonly SeenSpan[];
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    statuses,
    spans,
    logs: () => itemsIn(exports, 'logRecords') as readonly SeenLog[],
    trace: (id, count) =>
      until(() => {
        const found = spans().filter(({ traceId }) => traceId === id);
        return found.length >= count && found;
      }, `${count} spans of ${id}`),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface Payload {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly Item[] }[] }[];
  readonly resourceLogs?: readonly { readonly scopeLogs: readonly { readonly logRecords: readonly Item[] }[] }[];
}

function itemsIn(exports: readonly Export[], kind: 'spans' | 'logRecords'): readonly Item[] {
  return exports.flatMap(({ text }) => {
    const { resourceSpans = [], resourceLogs = [] } = JSON.parse(text) as Payload;
    return kind === 'spans'
      ? resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
      : resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap((scope) => scope.logRecords));
  });
}

/** Attributes as a plain object. */
export function plain({ attributes }: Pick<Item, 'attributes'>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plainValue);
  return stringValue ?? doubleValue ?? boolValue ?? (intValue === undefined ? undefined : Number(intValue));
}
