export type { ChannelFacts, ChatProtocol, Family, Protocol, Upload, UpstreamCallFacts } from './call.ts';
export { cataloguePrice } from './catalogue.ts';
export { createFramer, type Framing } from './framing.ts';
export { askForModels, readModelNames } from './model-list.ts';
export type { FamilyShape, Place, Provider } from './provider.ts';
export { modelsByType, ownerOf, providerOf } from './registry.ts';
export { createSignTools } from './sign/tools.ts';
export { type Signed, SignFault, type SignTools } from './sign.ts';
export { upstreamDialects } from './upstream-dialects.ts';
