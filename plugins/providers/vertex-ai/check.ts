import type { SettingsProblem } from '#core/provider.ts';
import { customHostProblems } from '../_shared/address.ts';
import { isBucket } from './files/object-id.ts';
import { isProject, isVersion, regionProblem } from './location.ts';
import { parseServiceAccount } from './credential.ts';
import type { VertexSettings } from './settings.ts';

/** Returns the problems of a provider's settings that the schema cannot express. */
export function check(settings: VertexSettings): readonly SettingsProblem[] {
  return [
    ...customHostProblems(settings.custom_host),
    ...regionProblems(settings),
    ...accountProblems(settings),
    ...versionProblems(settings),
    ...storageProblems(settings),
  ];
}

function regionProblems(settings: VertexSettings): readonly SettingsProblem[] {
  const { region, express } = settings;
  if (region === undefined) {
    if (express === true) return [];
    return [missing('region', 'Write global, us, eu, or a region like europe-west1.', settings)];
  }
  const problem = regionProblem(region);
  if (problem === undefined) return [];
  const hint = 'Write global, us, eu, or a region like europe-west1.';
  return [{ path: ['region'], code: 'out-of-range', message: `"${region}" cannot be used as region: ${problem}`, hint }];
}

/** The service account may contain the project. */
function accountProblems(settings: VertexSettings): readonly SettingsProblem[] {
  const { service_account: text, project, express } = settings;
  const account = text === undefined ? undefined : parseServiceAccount(text);
  if (typeof account === 'string') {
    const hint = 'Name the JSON key file as ${file:…}; for workload identity use ambient: true with credentials_file.';
    return [{ path: ['service_account'], code: 'out-of-range', message: `service_account cannot be used: ${account}`, hint }];
  }
  const found = project ?? account?.project;
  if (found === undefined)
    return express === true ? [] : [missing('project', 'Write the id of the project, or give a service_account that names it.', settings)];
  if (isProject(found)) return [];
  return [
    {
      path: ['project'],
      code: 'out-of-range',
      message: `"${found}" is not a project id`,
      hint: 'Write the id of the project, not its name.',
    },
  ];
}

function versionProblems({ api_version: version }: VertexSettings): readonly SettingsProblem[] {
  if (version === undefined || isVersion(version)) return [];
  return [{ path: ['api_version'], code: 'out-of-range', message: `"${version}" is not an API version`, hint: 'Write v1 or v1beta1.' }];
}

function storageProblems({ storage_bucket: bucket, storage_host: host, media }: VertexSettings): readonly SettingsProblem[] {
  const hint = 'Write the name of the bucket alone, without gs://.';
  const hostProblems = customHostProblems(host).map((problem) => ({
    ...problem,
    path: ['storage_host'],
    message: problem.message.replace('custom_host', 'storage_host'),
  }));
  const bucketProblems = (name: string, path: SettingsProblem['path']): SettingsProblem[] =>
    isBucket(name) ? [] : [{ path, code: 'out-of-range', message: `"${name.slice(0, 100)}" is not the name of a bucket`, hint }];
  return [
    ...hostProblems,
    ...(bucket === undefined ? [] : bucketProblems(bucket, ['storage_bucket'])),
    ...(media?.buckets ?? []).flatMap((name, at) => bucketProblems(name, ['media', 'buckets', at])),
  ];
}

/**
 * A missing key is only a warning if callers use their own token, since they may send region and project. It is an error with the
 * operator's credential, which cannot be used without them.
 */
function missing(key: string, hint: string, { service_account: account, ambient }: VertexSettings): SettingsProblem {
  const isOperatorCredential = account !== undefined || ambient === true;
  return { path: [key], code: 'missing-key', message: `${key} is missing`, hint, severity: isOperatorCredential ? 'error' : 'warning' };
}
