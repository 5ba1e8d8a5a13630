export { type ArrayFramer, createArrayFramer } from './array-framer.ts';
export { geminiGenerate as dialect } from './dialect.ts';
