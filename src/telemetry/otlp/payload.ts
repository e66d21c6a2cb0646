import type { EncodeSettings } from './exported.ts';
import { attr, schemaUrl, scopeName } from './names.ts';
import { attributesOf } from './values.ts';

export type Signal = 'traces' | 'logs';

/** One request to a collector. @param items JSON texts of spans or log records */
export function payloadOf(signal: Signal, items: readonly string[], settings: EncodeSettings): string {
  const { version, instance, resource } = settings;
  const own = { [attr.serviceName]: 'llm-gateway', [attr.serviceVersion]: version, [attr.serviceInstance]: instance };
  const attributes = JSON.stringify(attributesOf({ ...own, ...resource }));
  const scope = JSON.stringify({ name: scopeName, version });
  const [outer, inner, list] = names[signal];
  return `{"${outer}":[{"resource":{"attributes":${attributes}},"schemaUrl":"${schemaUrl}","${inner}":[{"scope":${scope},"schemaUrl":"${schemaUrl}","${list}":[${items.join(',')}]}]}]}`;
}

/** A span or a log record as JSON. For half of a surrogate pair in one of them, collectors reject all that are sent with it. */
export function itemText(item: object): string {
  const text = JSON.stringify(item);
  return text.includes(String.raw`\ud`) ? JSON.stringify(item, wellFormed) : text;
}

const wellFormed = (_key: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value);

const names = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
} as const;
