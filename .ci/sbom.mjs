// Writes the bill of materials (CycloneDX 1.6, JSON) of the production packages to standard output: all packages in the lock file
// that the dependencies of package.json and the script of the dashboard lead to. Contains no time and no random number, so that the same lock file gives the same
// bytes. `npm sbom` omits packages that are also used by a development tool.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from './dashboard.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** Returns the path at which a package finds another one: in its own node_modules, or in those of the folders above. */
function pathOf(name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
const neededBy = (path) => {
  const { dependencies = {}, optionalDependencies = {} } = packages[path];
  const shipped = path === '' ? bundled : [];
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...shipped].flatMap((name) => pathOf(name, path) ?? []);
};
const refOf = (path) => {
  const { name = nameOf(path), version } = packages[path];
  return purlOf(name, version);
};

const found = new Set(['']);
for (const path of found) for (const next of neededBy(path)) found.add(next);
const paths = [...found].filter((path) => path !== '').sort();

function component(path) {
  const { version, license, integrity } = packages[path];
  if (!integrity?.startsWith('sha512-')) throw new Error(`${path} has no SHA-512 hash in package-lock.json`);
  return {
    type: 'library',
    'bom-ref': refOf(path),
    name: nameOf(path),
    version,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
    purl: refOf(path),
  };
}

const { name, version, license } = packages[''];
const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: { type: 'application', 'bom-ref': refOf(''), name, version, licenses: [{ expression: license }], purl: refOf('') },
  },
  components: paths.map(component),
  dependencies: ['', ...paths].map((path) => ({ ref: refOf(path), dependsOn: [...new Set(neededBy(path).map(refOf))].sort() })),
};
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
