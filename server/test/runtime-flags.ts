/**
 * For processes whose database threads run from sources: types are stripped by WebAssembly whose code all threads share. Where
 * V8 13.6 replaces a wrapper of it (after 1,000 calls) while another thread ends, the process dies of a segmentation fault in
 * `NativeModule::FreeCode`. So wrappers stay as they are.
 */
export const runtimeFlags = ['--wasm-wrapper-tiering-budget=2147483647'];
