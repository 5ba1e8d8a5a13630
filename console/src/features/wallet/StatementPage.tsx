import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isAdmin, useSession } from '../../api/session.ts';
import {
  col_completion,
  col_prompt,
  col_time,
  col_type,
  nav_agent,
  nav_logs,
  nav_statement,
  statement_amount,
  statement_count,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { formatTime } from '../../lib/time.ts';
import { BillHead } from '../../ui/BillHead.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { CsvButton } from '../../ui/download/CsvButton.tsx';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { Unread } from '../../ui/LoadError.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { centsText } from '../../ui/payment/order.ts';
import { Quota } from '../../ui/Quota.tsx';
import { statementAddress, statementQuery, type Whose } from './queries.ts';
import { linesOf, monthChoices, monthOf, type StatementLine } from './statement.ts';

const route = getRouteApi('/_console/topup/statement');

const cellsOf = (
  { name, amount, calls, prompt_tokens: prompt, completion_tokens: completion }: StatementLine,
  isAgency: boolean,
) => [
  name,
  // To the unit, so that a reader can add it up.
  isAgency ? centsText(amount, 'cny') : <Quota key="amount" value={amount} digits={6} />,
  ...[calls, prompt, completion].map((count) => count !== undefined && formatUnits(count)),
];

function Lines({ lines, isAgency }: { lines: readonly StatementLine[]; isAgency: boolean }) {
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
              {cellsOf(line, isAgency).map((cell, at) => (
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
  const isReader = isAdmin(useSession());
  const whose: Whose = search.agency ? 'agency' : isReader ? search.user : undefined;
  const isAgency = whose === 'agency';
  const month = search.month ?? monthOf(new Date());
  const query = useQuery(statementQuery(month, whose));
  const { data } = query;
  return (
    <>
      <PageHeader title={isAgency ? `${nav_agent()} · ${nav_statement()}` : nav_statement()}>
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
        {data && !isAgency && (
          <Link
            to="/log"
            search={{ from: data.start, to: data.end - 1, user: isReader ? data.username : undefined }}
            className={buttonClass()}
          >
            {nav_logs()}
          </Link>
        )}
        <CsvButton address={statementAddress(month, whose)} name={`statement-${month}.csv`} />
      </PageHeader>
      <Unread query={query} />
      {query.isPending && <FormSkeleton />}
      {data && (
        <Card
          title={`${data.username} · ${data.month}`}
          text={`${formatTime(data.start)} – ${formatTime(data.end)} (${data.time_zone})`}
        >
          <Lines lines={linesOf(data)} isAgency={isAgency} />
        </Card>
      )}
    </>
  );
}
