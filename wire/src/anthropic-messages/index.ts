export { anthropicMessages as dialect } from './dialect.ts';
