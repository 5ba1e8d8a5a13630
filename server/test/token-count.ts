/** How the product counts, for tests that count what was delivered. */
export { createTokenizer, type Tokenizer } from '../src/platform/tokenizer.ts';
