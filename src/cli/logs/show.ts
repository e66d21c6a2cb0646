import type { RequestDifferences, Status } from '../../admin/api-types.ts';
import { fromHeader } from '../../core/http/header-text.ts';
import { curlOf } from '../../core/logs/curl.ts';
import { decodeText } from '../../core/logs/decode-text.ts';
import type { BodyPart, StoredRecord } from '../../core/logs/reader.ts';
import { printable, printableLines } from '../../core/text/printable.ts';
import { formatSize } from '../../core/text/units.ts';
import { type AdminClient, adminClient } from '../admin-client.ts';
import type { AdminFlags } from '../admin/target.ts';
import { CommandError, exitCodes } from '../command.ts';
import { differenceText } from '../explain/text.ts';
import { type CliIo, usualWidth } from '../io.ts';
import { jsonText } from '../text.ts';
import { recordDetails } from './record-details.ts';
import { resolveId } from './resolve-id.ts';

export interface ShowFlags extends AdminFlags {
  readonly body?: boolean | undefined;
  readonly upstream?: boolean | undefined;
  readonly diff?: boolean | undefined;
  readonly curl?: boolean | undefined;
}

const pathOf = (id: string): string => `/api/requests/${encodeURIComponent(id)}`;

/** `gateway logs show ID`: prints the details of one request. Exit code 1 if it is not in the log. */
export async function show(id: string, flags: ShowFlags, io: CliIo): Promise<number> {
  const client = adminClient(flags, io);
  const stored = await client.get<StoredRecord>(pathOf(await resolveId(id, client)));
  if (flags.json === true) {
    io.stdout.write(jsonText(await documentOf(stored, flags, client)));
    return exitCodes.yes;
  }
  if (flags.curl === true) {
    io.stdout.write(await curlText(stored, client));
    return exitCodes.yes;
  }
  io.stdout.write(recordDetails(stored, io.stdout.columns || usualWidth));
  if (flags.diff === true) await writeDifferences(stored, client, io);
  if (flags.body === true) await writeBody(stored, 'request', client, io);
  if (flags.upstream === true) await writeBody(stored, 'upstream', client, io);
  if (flags.body === true) await writeBody(stored, 'response', client, io);
  return exitCodes.yes;
}

/** The record as JSON, with the parts that the flags ask for. */
async function documentOf(stored: StoredRecord, flags: ShowFlags, client: AdminClient): Promise<object> {
  const { body, upstream, diff, curl } = flags;
  const parts: BodyPart[] = [];
  if (body === true) parts.push('request', 'response');
  if (upstream === true) parts.push('upstream');
  const contents: Partial<Record<BodyPart, Content | null>> = {};
  for (const part of parts) contents[part] = await contentOf(stored, part, client);
  return {
    ...stored,
    ...(parts.length > 0 && { contents }),
    ...(diff === true && { differences: await differencesOf(stored, client) }),
    ...(curl === true && { curl: (await curlText(stored, client)).trimEnd() }),
  };
}

/** A stored body: text, or base64 of bytes that are not text. */
type Content = { readonly text: string } | { readonly base64: string };

/** Returns null if the body is not stored; the record says why. An upstream body that is stored as changes of the request is complete here. */
async function contentOf({ record, bodies }: StoredRecord, part: BodyPart, client: AdminClient): Promise<Content | null> {
  const isStored = bodies.includes(part) || (record[part].body?.same_as === 'request' && bodies.includes('request'));
  if (!isStored) return null;
  const bytes = await client.bytes(`${pathOf(record.id)}/body`, { part });
  const text = decodeText(bytes);
  return text === undefined ? { base64: Buffer.from(bytes).toString('base64') } : { text };
}

const differencesOf = ({ record }: StoredRecord, client: AdminClient): Promise<RequestDifferences> =>
  client.get<RequestDifferences>(`${pathOf(record.id)}/differences`);

async function writeDifferences(stored: StoredRecord, client: AdminClient, io: CliIo): Promise<void> {
  const { differences, why_absent: why } = await differencesOf(stored, client);
  const lines = differences.map(
    (one) => `${printable(differenceText(one))}${one.at === null ? '' : `  ${printable(one.at.file)}:${one.at.line}`}\n`,
  );
  io.stdout.write(
    `\ndifferences between the client's request and the one that was sent\n${lines.join('')}${lines.length === 0 ? `${why ?? 'none'}\n` : ''}`,
  );
}

async function writeBody({ record, bodies }: StoredRecord, part: BodyPart, client: AdminClient, io: CliIo): Promise<void> {
  io.stdout.write(`\n${part}\n`);
  for (const [name, value] of Object.entries(record[part].headers)) io.stdout.write(`${printable(`${name}: ${fromHeader(value)}`)}\n`);
  const { body } = record[part];
  if (bodies.includes(part)) {
    const bytes = await client.bytes(`${pathOf(record.id)}/body`, { part });
    const text = decodeText(bytes);
    io.stdout.write(
      text === undefined ? `not text: ${formatSize(bytes.length)}, which the dashboard can save\n` : `\n${printableLines(text)}\n`,
    );
  } else if (body?.same_as === 'request')
    io.stdout.write(
      `${Object.keys(body.patch ?? {}).length === 0 ? 'the same as the request' : `the request with ${printable(JSON.stringify(body.patch))}`}\n`,
    );
  else io.stdout.write(`no body stored: ${printable(record[part].why_absent ?? 'unknown')}\n`);
}

/**
 * The client's request as a shell command, with credentials as variables.
 * @throws CommandError
 */
async function curlText({ record, bodies }: StoredRecord, client: AdminClient): Promise<string> {
  const { url, header_prefixes: headerPrefixes } = await client.get<Status>('/api/status');
  const body = bodies.includes('request') ? await client.bytes(`${pathOf(record.id)}/body`, { part: 'request' }) : undefined;
  if (body === undefined && record.request.why_absent !== 'there was none')
    throw new CommandError(exitCodes.no, `the body of the request is not stored: ${record.request.why_absent ?? 'unknown'}`);
  return `${curlOf(record, { url: url.replace(/(?:\/v1)?\/?$/, ''), headerPrefixes }, body)}\n`;
}
