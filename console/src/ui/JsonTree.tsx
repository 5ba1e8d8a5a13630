import { useState } from 'react';
import { json_all, json_items, json_more } from '../i18n/generated/messages.ts';
import { formatUnits } from '../lib/money.ts';
import { Button } from './Button.tsx';

/** Levels that are open at first, members shown at once, and characters of a text. */
const openLevels = 3;
const maxMembers = 100;
const maxText = 600;

function Text({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  if (whole || text.length <= maxText) return <span className="whitespace-pre-wrap text-ok">{JSON.stringify(text)}</span>;
  return (
    <span>
      <span className="whitespace-pre-wrap text-ok">{JSON.stringify(text.slice(0, maxText))}…</span>{' '}
      <Button size="sm" onClick={() => setWhole(true)}>
        {json_all({ count: formatUnits(text.length) })}
      </Button>
    </span>
  );
}

interface NodeProps {
  /** Member or place; absent for the whole. */
  name?: string;
  value: unknown;
  depth: number;
}

function Members({ members, depth }: { members: readonly (readonly [string, unknown])[]; depth: number }) {
  const [shown, setShown] = useState(maxMembers);
  const rest = members.length - shown;
  return (
    <ul className="border-line border-l pl-4">
      {members.slice(0, shown).map(([name, value]) => (
        <li key={name}>
          <Node name={name} value={value} depth={depth + 1} />
        </li>
      ))}
      {rest > 0 && (
        <li>
          <Button size="sm" onClick={() => setShown(shown + maxMembers)}>
            {json_more({ count: rest })}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** An object or a list: folds. What is folded is not there, so that large texts cost nothing. */
function Fold({ name, value, depth }: NodeProps & { value: object }) {
  const [open, setOpen] = useState(depth < openLevels);
  const members = Object.entries(value);
  const brackets = Array.isArray(value) ? '[]' : '{}';
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit leading-6">
        {name !== undefined && <span className="text-accent">{name}: </span>}
        <span className="text-muted">
          {brackets[0]} {json_items({ count: members.length })} {brackets[1]}
        </span>
      </summary>
      {open && <Members members={members} depth={depth} />}
    </details>
  );
}

function Node({ name, value, depth }: NodeProps) {
  if (typeof value === 'object' && value !== null) return <Fold name={name} value={value} depth={depth} />;
  return (
    <div className="min-h-6 break-words">
      {name !== undefined && <span className="text-accent">{name}: </span>}
      {typeof value === 'string' ? <Text text={value} /> : <span className="text-violet">{String(value)}</span>}
    </div>
  );
}

/** A parsed JSON value, to be folded level by level. */
export function JsonTree({ value }: { value: unknown }) {
  return (
    <div className="font-mono text-xs">
      <Node value={value} depth={0} />
    </div>
  );
}
