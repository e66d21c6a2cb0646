/** Providers for both services of the format with one upstream: OpenAI, and a dated API version of Azure OpenAI. */
export const bothProviders = (url: string) => ({
  openai: { type: 'openai', api_key: 'sk-1', custom_host: `${url}/v1` },
  azure: {
    type: 'azure-openai',
    api_key: 'az-1',
    custom_host: `${url}/openai`,
    deployments: { d: { deployment_id: 'd', api_version: '2024-10-21' } },
  },
});
