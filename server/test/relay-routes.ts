export { workingRoutes } from '../src/relay/endpoints.ts';
