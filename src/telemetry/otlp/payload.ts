import type { EncodeSettings } from './exported-record.ts';
import { attr, schemaUrl, scopeName } from './names.ts';
import { attributesOf } from './values.ts';

export type Signal = 'traces' | 'logs';

/** Builds the payload of one export. @param items JSON texts of spans or log records */
export function payloadOf(signal: Signal, items: readonly string[], settings: EncodeSettings): string {
  const { version, instance, resource } = settings;
  const own = { [attr.serviceName]: 'llm-gateway', [attr.serviceVersion]: version, [attr.serviceInstance]: instance };
  const attributes = JSON.stringify(attributesOf({ ...own, ...resource }));
  const scope = JSON.stringify({ name: scopeName, version });
  const [outer, inner, list] = names[signal];
  return `{"${outer}":[{"resource":{"attributes":${attributes}},"schemaUrl":"${schemaUrl}","${inner}":[{"scope":${scope},"schemaUrl":"${schemaUrl}","${list}":[${items.join(',')}]}]}]}`;
}

/** Serializes a span or a log record. For a lone surrogate in one item, collectors reject the whole export. */
export function itemText(item: object): string {
  const text = JSON.stringify(item);
  return text.includes(String.raw`\ud`) ? JSON.stringify(item, wellFormed) : text;
}

const wellFormed = (_key: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value);

const names = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
} as const;
