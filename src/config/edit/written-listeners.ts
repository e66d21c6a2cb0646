import type { ListenSetting } from '../../core/http/listen-address.ts';
import { mergeFiles, type Source } from '../read/merge-files.ts';
import { child, type Node, toValue } from '../read/node.ts';
import { type ReferenceSources, resolveReferences } from '../read/references.ts';

/** Where a gateway with this configuration listens. */
export interface WrittenListeners {
  readonly listen: ListenSetting | undefined;
  readonly probeListen: ListenSetting | undefined;
  /** What keeps the files from being read as a whole, as `file:line: message`. The rest of them counts all the same. */
  readonly faults: readonly string[];
  /** False where the file itself cannot be read. */
  readonly isRead: boolean;
}

interface SourceLocation {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads the addresses of a configuration and its includes. Nothing else is resolved or has to be valid. */
export function readListeners(source: Source, { cwd, env }: SourceLocation): WrittenListeners {
  const faults: string[] = [];
  const sources: ReferenceSources = {
    cwd,
    env,
    report: ({ code, at, message }) => {
      if (faultCodes.has(code)) faults.push(`${at.file.name}:${at.line}: ${message}`);
    },
    secret: () => undefined,
    unresolved: () => undefined,
    watch: () => undefined,
  };
  const { root, texts } = mergeFiles(source, sources);
  const server = child(root, 'server');
  const setting = (name: string): ListenSetting | undefined => settingOf(child(server, name), sources);
  return {
    listen: setting('listen'),
    probeListen: setting('probe_listen'),
    faults,
    isRead: !('path' in source) || Object.keys(texts).length > 0,
  };
}

const faultCodes: ReadonlySet<string> = new Set(['yaml-syntax', 'unreadable-file', 'unset-variable', 'unknown-reference']);

function settingOf(node: Node | undefined, sources: ReferenceSources): ListenSetting | undefined {
  if (node === undefined) return undefined;
  const value = toValue(resolveReferences(node, sources));
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value !== 'object' || value === null || !('unix' in value)) return undefined;
  return typeof value.unix === 'string' ? { unix: value.unix } : undefined;
}
