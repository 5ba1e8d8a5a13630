import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { isAdmin, useSession } from '../../api/session.ts';
import {
  col_completion,
  col_prompt,
  col_time,
  col_type,
  nav_statement,
  statement_amount,
  statement_count,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { formatTime } from '../../lib/time.ts';
import { BillHead } from '../../ui/BillHead.tsx';
import { Card } from '../../ui/Card.tsx';
import { CsvButton } from '../../ui/download/CsvButton.tsx';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { Unread } from '../../ui/LoadError.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { statementAddress, statementQuery } from './queries.ts';
import { linesOf, monthChoices, monthOf, type StatementLine } from './statement.ts';

const route = getRouteApi('/_console/topup/statement');

const cellsOf = ({ name, amount, calls, prompt_tokens: prompt, completion_tokens: completion }: StatementLine) => [
  name,
  // To the unit, so that a reader can add it up.
  <Quota key="amount" value={amount} digits={6} />,
  ...[calls, prompt, completion].map((count) => count !== undefined && formatUnits(count)),
];

function Lines({ lines }: { lines: readonly StatementLine[] }) {
  const heads = [col_type(), statement_amount(), statement_count(), col_prompt(), col_completion()];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div tabIndex={0} className="sideways">
      <table className="bill tabular-nums [&_td:first-child]:min-w-36">
        <BillHead heads={heads} />
        <tbody className="[&>:first-child]:font-semibold [&>:last-child]:font-semibold">
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines come and go together
            <tr key={index}>
              {cellsOf(line).map((cell, at) => (
                <td key={heads[at]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** /topup/statement: a month of an account, to be read, printed and saved. */
export function StatementPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const user = isAdmin(useSession()) ? search.user : undefined;
  const month = search.month ?? monthOf(new Date());
  const query = useQuery(statementQuery(month, user));
  const { data } = query;
  return (
    <>
      <PageHeader title={nav_statement()}>
        <select
          aria-label={col_time()}
          className="control w-auto"
          value={month}
          onChange={(event) => void navigate({ to: '.', search: { ...search, month: event.target.value } })}
        >
          {monthChoices(month).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <CsvButton address={statementAddress(month, user)} name={`statement-${month}.csv`} />
      </PageHeader>
      <Unread query={query} />
      {query.isPending && <FormSkeleton />}
      {data && (
        <Card
          title={`${data.username} · ${data.month}`}
          text={`${formatTime(data.start)} – ${formatTime(data.end)} (${data.time_zone})`}
        >
          <Lines lines={linesOf(data)} />
        </Card>
      )}
    </>
  );
}
