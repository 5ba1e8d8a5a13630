export { type Agents, createAgents } from './service.ts';
