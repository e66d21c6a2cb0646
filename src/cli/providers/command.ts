import { type CliCommand, type CommandDeps, collect, addCommand, addExamples, addExamplesTo, addGroup } from '../builders.ts';
import type { CommonFlags } from '../command.ts';
import type { AddFlags } from './add.ts';
import type { ImportFlags } from './import-uri.ts';
import type { TestFlags } from './test-entries.ts';

/** Adds `gateway providers`. */
export function addProviders(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const parent = addGroup(program, 'providers', 'list, show, test and add providers');
  addExamples(parent, 'gateway providers list', 'gateway providers test azure-eu', 'gateway providers import-uri https://…');
  addCommand(parent, 'list', 'list all providers with host, models and state, offline').action(
    toAction(async (flags: CommonFlags) => (await import('./list.ts')).listProviders(flags, io, registry)),
  );
  addCommand(parent, 'show', 'show a provider with the source of each value; secrets as references')
    .argument('<slug>')
    .action(toAction(async (slug: string, flags: CommonFlags) => (await import('./show.ts')).showProvider(slug, flags, io, registry)));
  addCommand(parent, 'test', 'test providers with their real credentials and the cheapest calls')
    .argument('[slug...]')
    .option('--deep', 'also request one token from each deployment')
    .option('--timeout <duration>', 'timeout of each request', '10s')
    .action(
      toAction(async (slugs: string[], flags: TestFlags) => (await import('./test-entries.ts')).testProviders(slugs, flags, io, registry)),
    );
  parent
    .command('import-uri')
    .description("print the provider configuration for a deployment's target URI, offline")
    .argument('<uri>')
    .option('--slug <slug>', 'slug of the provider')
    .option('--json', 'print JSON')
    .action(toAction(async (uri: string, flags: ImportFlags) => (await import('./import-uri.ts')).importUri(uri, flags, io, registry)));
  addExamplesTo(parent, {
    list: ['gateway providers list', 'gateway providers list --json'],
    show: ['gateway providers show azure-eu'],
    test: ['gateway providers test', 'gateway providers test azure-eu --deep'],
    'import-uri': ["gateway providers import-uri 'https://contoso.openai.azure.com/openai/deployments/chat?api-version=2024-10-21'"],
  });
  const add = parent
    .command('add')
    .description('add a provider to the configuration; prompts only on a terminal, and never for a secret')
    .argument('<type>', 'a provider type such as openai, groq or ollama')
    .option('-c, --config <file>', 'configuration file; created if it does not exist')
    .option('--slug <slug>', 'slug of the provider')
    .option('--name <text>', 'display name')
    .option('--description <text>', 'description')
    .option('--uri <uri>', 'fill in settings from a target URI')
    .option(
      '--set <key=value>',
      'a setting by its path, as resource_name=contoso-eu or deployments."gpt-4.1".deployment_id=chat; repeatable',
      collect,
    )
    .option('--key-env <variable>', 'name of the environment variable with the key')
    .option('--key-file <file>', 'path of the file with the key')
    .option('--no-input', 'do not prompt')
    .option('--dry-run', 'print the configuration without writing it')
    .option('--json', 'print JSON')
    .action(toAction(async (type: string, flags: AddFlags) => (await import('./add.ts')).addEntry(type, flags, io, registry)));
  addExamples(
    add,
    'gateway providers add openai',
    'gateway providers add groq --no-input',
    'gateway providers add azure-openai --slug azure-eu --set resource_name=contoso-eu --key-env AZURE_KEY --no-input',
  );
}
