import type { UpstreamDialect } from '../chat/dialect.ts';
import { tencentChat } from './tencent-chat/dialect.ts';

/** Dialects that one vendor's upstream speaks and nobody else. */
export const providerDialects: readonly UpstreamDialect[] = [tencentChat];
