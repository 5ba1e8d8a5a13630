export { openaiChat as dialect } from './dialect.ts';
