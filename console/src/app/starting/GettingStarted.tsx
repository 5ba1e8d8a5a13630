import { Link } from '@tanstack/react-router';
import { Circle, CircleCheck } from 'lucide-react';
import { useId, useState } from 'react';
import {
  starting_dismiss,
  starting_done,
  starting_finish,
  starting_finished,
  starting_go,
  starting_progress,
  starting_title,
  starting_todo,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { useFacts } from './queries.ts';
import { nothingYet, type Step, stepsOf } from './steps.ts';

/** Takes its room before it is known what is done, so that the page below does not jump. */
function StepLine({ step, known }: { step: Step; known: boolean }) {
  const id = useId();
  const done = known && step.done;
  const Icon = done ? CircleCheck : Circle;
  return (
    <li className="flex min-h-8 items-center gap-2 max-sm:min-h-10">
      <Icon size={16} aria-hidden className={`shrink-0 ${done ? 'text-ok' : 'text-line-strong'}`} />
      <span id={id} className={done ? 'text-muted' : ''}>
        {step.label()}
      </span>
      {known && <span className="sr-only">{done ? starting_done() : starting_todo()}</span>}
      {known && !done && (
        <Link
          to={step.to}
          search={step.hash ? { tab: 'operation' } : {}}
          hash={step.hash}
          state={{ unpriced: step.unpriced }}
          aria-describedby={id}
          className="inline-flex min-h-6 items-center"
        >
          {starting_go()}
        </Link>
      )}
    </li>
  );
}

/** The operator's way to the first call; ticks itself off by what the server says. */
export function GettingStarted({ onClose }: { onClose(): void }) {
  const [watching, setWatching] = useState(true);
  const facts = useFacts(watching);
  const steps = stepsOf(facts ?? nothingYet);
  const done = steps.filter((step) => step.done).length;
  const finished = facts !== undefined && done === steps.length;
  const progress = finished ? starting_finished() : starting_progress({ done, total: steps.length });
  if (watching === finished) setWatching(!finished);
  return (
    <div className="mb-3">
      <Card
        title={starting_title()}
        aside={
          <>
            <span role="status" className="text-muted text-xs">
              {facts && progress}
            </span>
            <Button tone={finished ? 'primary' : 'quiet'} onClick={onClose}>
              {finished ? starting_finish() : starting_dismiss()}
            </Button>
          </>
        }
      >
        <ol className="grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] gap-x-6">
          {steps.map((step) => (
            <StepLine key={step.key} step={step} known={facts !== undefined} />
          ))}
        </ol>
      </Card>
    </div>
  );
}
