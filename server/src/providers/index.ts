export { cataloguePrice } from './catalogue.ts';
export type { Protocol, Provider } from './provider.ts';
export { modelsByType, ownerOf, providerOf } from './registry.ts';
export { upstreamDialects } from './upstream-dialects.ts';
