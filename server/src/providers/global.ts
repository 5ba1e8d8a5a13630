import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { bedrock } from './bedrock.ts';
import { cloudflare } from './cloudflare.ts';
import { cohere } from './cohere.ts';
import { google } from './google.ts';
import { jina } from './jina.ts';
import { ollama } from './ollama.ts';
import { palm } from './palm.ts';
import type { Provider } from './provider.ts';
import { vertex } from './vertex.ts';

/** Vendors outside of China that need more than a line in the table of compatible ones. */
export const globalProviders: readonly Provider[] = [
  azure,
  ollama,
  palm,
  anthropic,
  google,
  bedrock,
  cohere,
  jina,
  cloudflare,
  vertex,
];
