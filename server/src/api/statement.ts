import type { AgentStatement, Statement, StatementQuery, statementRoutes } from '@tollgate/contract';
import type { Statements } from '../billing/index.ts';
import type { UserManagement } from '../identity/index.ts';
import { type CsvColumn, csvHead, csvLine } from '../platform/csv.ts';
import type { Downloads } from './downloads.ts';
import { type Call, type Handlers, signedIn } from './types.ts';
import { managerOf } from './users.ts';

interface Deps {
  statements: Statements;
  people: Pick<UserManagement, 'get'>;
  downloads: Downloads;
}

type Asking = Pick<Call, 'identity' | 'caller'> & { query: StatementQuery };

export function statementHandlers({ statements, people, downloads }: Deps): Handlers<typeof statementRoutes> {
  const own = (call: Asking) => {
    const { id, username } = signedIn(call).user;
    return statements.read({ user_id: id, username }, call.query);
  };
  const ofUser = async (call: Asking & { id: number }) => {
    const { id, username } = await people.get(managerOf(call), call.id);
    return statements.read({ user_id: id, username }, call.query);
  };
  // Read before the first byte: a refusal is no file.
  const file = async (call: Asking, reading: Promise<Statement>) => {
    return downloads.file(call, statementFile(await reading));
  };
  return {
    self: own,
    selfExport: (call) => file(call, own(call)),
    ofUser,
    ofUserExport: (call) => file(call, ofUser(call)),
  };
}

/** Of an account, in quota; of an agency, in cents. */
export function statementFile(statement: AgentStatement & Partial<Pick<Statement, 'charges'>>, unit = 'quota') {
  return { name: `${unit === 'quota' ? '' : 'agency-'}statement-${statement.month}`, texts: linesOf(statement, unit) };
}

interface Line {
  line: 'opening' | 'movement' | 'charge' | 'closing';
  kind?: string;
  model?: string;
  token?: string;
  count?: number;
  prompt_tokens?: number;
  completion_tokens?: number;
  quota: number;
}

const columnsIn = (unit: string): readonly CsvColumn<Line>[] => [
  ['line', (row) => row.line],
  ['kind', (row) => row.kind ?? ''],
  ['model', (row) => row.model ?? ''],
  ['token', (row) => row.token ?? ''],
  ['count', (row) => row.count ?? ''],
  ['prompt_tokens', (row) => row.prompt_tokens ?? ''],
  ['completion_tokens', (row) => row.completion_tokens ?? ''],
  [unit, (row) => row.quota],
];

async function* linesOf(
  { opening, movements, charges, closing }: Parameters<typeof statementFile>[0],
  unit: string,
): AsyncGenerator<string> {
  const columns = columnsIn(unit);
  const lines: Line[] = [
    { line: 'opening', quota: opening },
    ...movements.map(({ kind, count, amount }) => ({ line: 'movement', kind, count, quota: amount }) as const),
    ...(charges ?? []).map(
      ({ calls, quota, ...charge }) => ({ line: 'charge', ...charge, count: calls, quota: -quota }) as const,
    ),
    { line: 'closing', quota: closing },
  ];
  yield csvHead(columns) + lines.map((line) => csvLine(columns, line)).join('');
}
