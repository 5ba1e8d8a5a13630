export { type AuditTrail, createAuditTrail } from './read.ts';
export { type Actor, type AuditEvent, commandLine, recordAudit } from './record.ts';
export { verifyAuditChain } from './verify.ts';
