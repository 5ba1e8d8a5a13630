import type { LogEntry, LogExportQuery } from '@tollgate/contract';
import { type CsvColumn, csvHead, csvLine, csvTime } from '../../platform/csv.ts';
import type { Database } from '../../storage/database.ts';
import { readEntries } from './entries.ts';
import { filterOf, type LogFilter, type LogScope, withOwner } from './filter.ts';
import { findIds, noCursor } from './find.ts';

const rowsAtATime = 500;

type Column = CsvColumn<LogEntry>;
const ownColumns: readonly Column[] = [
  ['id', (row) => row.id],
  ['time', (row) => csvTime(row.created_at)],
  ['type', (row) => row.type],
  ['username', (row) => row.username],
  ['token_name', (row) => row.token_name],
  ['group', (row) => row.group],
  ['model_name', (row) => row.model_name],
  ['quota', (row) => row.quota],
  ['prompt_tokens', (row) => row.prompt_tokens],
  ['completion_tokens', (row) => row.completion_tokens],
  ['use_time', (row) => row.use_time],
  ['is_stream', (row) => row.is_stream],
  ['request_id', (row) => row.request_id],
  ['content', (row) => row.content],
  ['other', (row) => row.other],
];
const adminColumns: readonly Column[] = [
  ['user_id', (row) => row.user_id],
  ['channel', (row) => row.channel],
  ['channel_name', (row) => row.channel_name],
];
/** Behind the others: files are read by position, too. The quota is what is exact; dollars are what accounts are kept in. */
const lastColumns = (quotaPerUnit: number): readonly Column[] => [
  ['ip', (row) => row.ip],
  ['cost_usd', (row) => (row.quota / quotaPerUnit).toFixed(6)],
];

/**
 * All matching rows as text, newest first, a few hundred at a time: nothing is read before it is asked for. Rows that are
 * written meanwhile are not among them. Throws PublicError at once, while an answer can still say it; the texts DatabaseError.
 */
export function exportLogs(db: Database, scope: LogScope, query: LogExportQuery, quotaPerUnit: number): AsyncGenerator<string> {
  const { format, before = 0 } = query;
  return textsOf(db, { scope, filter: filterOf(scope, query), isCsv: format === 'csv', before, quotaPerUnit });
}

interface Wanted {
  scope: LogScope;
  filter: LogFilter;
  isCsv: boolean;
  /** 0 = from the newest. */
  before: number;
  quotaPerUnit: number;
}

async function* textsOf(
  db: Database,
  { scope, filter: asked, isCsv, before: first, quotaPerUnit }: Wanted,
): AsyncGenerator<string> {
  const columns = [...ownColumns, ...(scope.kind === 'all' ? adminColumns : []), ...lastColumns(quotaPerUnit)];
  const filter = await withOwner(db.read, asked);
  let head = isCsv && first === 0 ? csvHead(columns) : '';
  for (let before = first || noCursor; ; ) {
    const { ids, next } = await findIds(db.read, filter, { before, skip: 0, limit: rowsAtATime });
    const entries = await readEntries(db, scope, filter, ids);
    const lines = isCsv ? entries.map((row) => csvLine(columns, row)) : entries.map((row) => `${JSON.stringify(row)}\n`);
    const text = head + lines.join('');
    head = '';
    if (text !== '') yield text;
    if (next === 0) return;
    before = next;
  }
}
