import type { Kit } from '../kit.ts';
import type { MapNode } from '../node.ts';
import type { Report } from '../problem.ts';
import type { Valid } from '../validate.ts';

/** What a rule may look at. The tree may have any shape: rules say nothing about what the schema has refused. */
export interface CheckContext {
  readonly root: MapNode;
  readonly kit: Kit;
  readonly valid: Valid;
  /** Slugs whose secret is missing and may be. */
  readonly missing: Readonly<Record<string, string>>;
  /** A file is not readable: what it would define or use is not known. */
  readonly broken: boolean;
  readonly report: Report;
}
