export { type AuditTrail, createAuditTrail } from './read.ts';
export { type Actor, type AuditEvent, changesBetween, commandLine, recordAudit } from './record.ts';
export { verifyAuditChain } from './verify.ts';
