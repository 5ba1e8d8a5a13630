import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../Button.tsx';
import { CopyButton } from '../CopyButton.tsx';

interface Props {
  text: string;
  masked: string;
  /** What the buttons say. */
  labels: { view: string; hide: string; copy: string };
}

/** A secret, masked until it is asked for. */
export function MaskedText({ text, masked, labels }: Props) {
  const [shown, setShown] = useState(false);
  return (
    <span className="inline-flex max-w-full items-center">
      <code className={shown ? 'mr-1 whitespace-normal break-all text-xs' : 'mr-1'}>{shown ? text : masked}</code>
      <IconButton
        icon={shown ? EyeOff : Eye}
        label={shown ? labels.hide : labels.view}
        size="sm"
        onClick={() => setShown(!shown)}
      />
      <CopyButton text={text} label={labels.copy} />
    </span>
  );
}
