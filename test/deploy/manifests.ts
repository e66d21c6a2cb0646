import { parseAllDocuments } from 'yaml';

/** The parts of a manifest that the tests check. */
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly securityContext: object;
  readonly resources: { readonly limits: { readonly memory?: string } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: object;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly emptyDir?: { readonly sizeLimit: string } }[];
}

interface Manifest {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: Pod } };
}

const manifestsIn = (text: string): readonly Manifest[] => parseAllDocuments(text).map((document) => document.toJS() as Manifest);

export function podOf(text: string): Pod {
  const pod = manifestsIn(text).find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec;
  if (pod === undefined) throw new Error('no pod');
  return pod;
}

/** The container of the gateway. */
export function containerOf(text: string): Container {
  const { containers, initContainers = [] } = podOf(text);
  const found = [...initContainers, ...containers].find(({ name }) => name === 'gateway');
  if (found === undefined) throw new Error('no container "gateway"');
  return found;
}

/** The `gateway.yaml` of each ConfigMap. */
export const configsOf = (text: string): readonly string[] =>
  manifestsIn(text).flatMap(({ kind, data }) => (kind === 'ConfigMap' ? (data?.['gateway.yaml'] ?? []) : []));
