import type { LogRecord } from '../../core/records/record.ts';
import { operationOf } from '../operation.ts';
import { messagesOf } from './content/index.ts';
import { type EncodeSettings, type ExportedRecord, isFailure, traceContextOf } from './exported-record.ts';
import { attr } from './names.ts';
import { metadataOf, requestAttributes } from './spans.ts';
import { attributesOf, type KeyValue, nanos } from './values.ts';

export interface OtlpLogRecord {
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  /** 9: INFO, 13: WARN, 17: ERROR. */
  readonly severityNumber: 9 | 13 | 17;
  readonly severityText: string;
  readonly eventName: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly KeyValue[];
  readonly traceId: string;
  readonly spanId: string;
}

/** Converts a record to an OTLP log record: the whole record as JSON in the body, searchable values in attributes. */
export function logRecordOf(exported: ExportedRecord, { providerNames }: EncodeSettings): OtlpLogRecord {
  const { record } = exported;
  const { traceId, spanId } = traceContextOf(record);
  const [severityNumber, severityText] = severityOf(record);
  const end = nanos(record.at, record.ms.total);
  const messages = messagesOf(exported);
  return {
    timeUnixNano: end,
    observedTimeUnixNano: end,
    severityNumber,
    severityText,
    eventName: 'gateway.request',
    body: { stringValue: JSON.stringify(record) },
    attributes: [
      ...attributesOf({
        ...requestAttributes(record),
        [attr.operation]: operationOf(record.endpoint),
        [attr.provider]: record.provider === null ? null : (providerNames[record.provider] ?? record.provider),
        [attr.responseModel]: record.model.answered,
        [attr.responseId]: record.response_id,
        [attr.systemInstructions]: messages.system,
        [attr.inputMessages]: messages.input,
        [attr.outputMessages]: messages.output,
      }),
      ...metadataOf(record),
    ],
    traceId,
    spanId,
  };
}

function severityOf(record: LogRecord): readonly [9 | 13 | 17, string] {
  if (isFailure(record)) return [17, 'ERROR'];
  return record.status >= 400 ? [13, 'WARN'] : [9, 'INFO'];
}
