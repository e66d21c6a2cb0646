import { GatewayError } from '#core/error.ts';
import { type Base, baseOf } from '../_shared/address.ts';
import { serviceAccountOf } from './credential.ts';
import type { VertexSettings } from './settings.ts';

/** Base address of a provider: everything before `/publishers` and `/endpoints`. */
export interface Location extends Base {
  /** The path up to the version. Express mode has no more. */
  readonly versionPath: string;
}

const regionPattern = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/;
const versionPattern = /^v\d{1,2}(?:(?:alpha|beta)\d{0,2})?$/;
/** Project ids, numbers, and domain-scoped ids (`example.com:name`). */
const projectPattern = /^[a-z0-9](?:[a-z0-9.:-]{0,98}[a-z0-9])?$/;

/** Returns the problem of a region; undefined if it is valid. */
export function regionProblem(region: string): string | undefined {
  if (!regionPattern.test(region)) return 'a region has lower-case letters, digits and hyphens only';
  return region === 'global' || region === 'us' || region === 'eu' || region.includes('-') ? undefined : 'there is no such region';
}

export const isProject = (project: string): boolean => projectPattern.test(project);
export const isVersion = (version: string): boolean => versionPattern.test(version);

/** Returns scheme and host for a region. The region must be validated already, because it may be a caller's value. */
function hostOf(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com';
  if (region === 'us' || region === 'eu') return `https://aiplatform.${region}.rep.googleapis.com`;
  return `https://${region}-aiplatform.googleapis.com`;
}

/** Computed once per settings object. @throws GatewayError `invalid_config` if a value is missing or invalid */
export function locationOf(settings: VertexSettings): Location {
  const version = settings.api_version ?? 'v1';
  if (!isVersion(version)) throw unusable('api_version', `"${version.slice(0, 40)}" is not a version`, 'Use v1 or v1beta1.');
  const region = regionOf(settings);
  const custom = settings.custom_host === undefined ? undefined : baseOf(settings.custom_host);
  const base = custom ?? { origin: hostOf(region), path: '' };
  // A custom host may contain the version.
  const versionPath = versionPattern.test(base.path.slice(base.path.lastIndexOf('/') + 1)) ? base.path : `${base.path}/${version}`;
  if (settings.express === true) return { origin: base.origin, path: versionPath, versionPath };
  return {
    origin: base.origin,
    path: `${versionPath}/projects/${encodeURIComponent(projectOf(settings))}/locations/${region}`,
    versionPath,
  };
}

function regionOf({ region, express }: VertexSettings): string {
  const name = region ?? (express === true ? 'global' : undefined);
  if (name === undefined) throw unusable('region', 'no region is set', 'Set region, or send x-gateway-vertex-region.');
  const problem = regionProblem(name);
  if (problem !== undefined)
    throw unusable('region', `"${name.slice(0, 40)}" cannot be used: ${problem}`, 'Use global, us, eu, or a region like europe-west1.');
  return name;
}

/** The explicit project takes precedence over the service account's. */
function projectOf(settings: VertexSettings): string {
  const account = settings.service_account_json ?? settings.service_account;
  const project = settings.project ?? (account === undefined ? undefined : serviceAccountOf(account, 'service_account').project);
  if (project === undefined) throw unusable('project', 'no project is set', 'Set project, or send x-gateway-vertex-project-id.');
  if (!isProject(project))
    throw unusable('project', `"${project.slice(0, 40)}" is not a project id`, 'Use the id of the project, not its name.');
  return project;
}

const unusable = (param: string, problem: string, hint: string): GatewayError =>
  new GatewayError('invalid_config', { message: `The request has no complete Vertex AI location: ${problem}.`, param, hint });
