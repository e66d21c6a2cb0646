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

const names = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
} as const;
