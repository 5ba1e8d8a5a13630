import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ControlProps } from '../Field.tsx';
import type { JsonEditor } from './json-editor.ts';

interface Props {
  control: ControlProps;
  label: string;
  placeholder?: string;
  value: string;
  onChange(value: string): void;
  onBlur?(): void;
}

type Create = typeof import('./json-editor.ts').createJsonEditor;

const attributesOf = (control: ControlProps, label: string): Record<string, string> => ({
  id: control.id,
  'aria-label': label,
  ...(control['aria-describedby'] ? { 'aria-describedby': control['aria-describedby'] } : {}),
  ...(control['aria-invalid'] ? { 'aria-invalid': 'true' } : {}),
});

interface Loaded {
  create: Create;
  caret: number;
}

/** The editor itself; takes the focus over from the plain field, which may go then. */
function Editor({ create, caret, onReady, ...props }: Props & Loaded & { onReady(): void }) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<JsonEditor>(undefined);
  const latest = useRef({ ...props, onReady });
  latest.current = { ...props, onReady };
  const attributes = attributesOf(props.control, props.label);
  useLayoutEffect(() => {
    if (!host.current) return;
    const made = create(host.current, {
      text: latest.current.value,
      caret,
      placeholder: latest.current.placeholder ?? '',
      attributes: attributesOf(latest.current.control, latest.current.label),
      onChange: (text) => latest.current.onChange(text),
      onBlur: () => latest.current.onBlur?.(),
    });
    editor.current = made;
    latest.current.onReady();
    return () => made.destroy();
  }, [create, caret]);
  const wanted = JSON.stringify(attributes);
  useEffect(() => editor.current?.setText(props.value), [props.value]);
  useEffect(() => editor.current?.setAttributes(JSON.parse(wanted)), [wanted]);
  return <div ref={host} className="control h-auto overflow-hidden p-0" />;
}

/**
 * A plain field that becomes an editor with line numbers, colours and marked faults when it gets the focus. It stays plain
 * where the editor cannot be loaded.
 */
export function JsonInput(props: Props) {
  const [loaded, setLoaded] = useState<Loaded>();
  const [ready, setReady] = useState(false);
  return (
    <>
      {loaded && <Editor {...props} {...loaded} onReady={() => setReady(true)} />}
      {/* Goes only when the focus is in the editor: a dialog would catch a focus that has no place. */}
      {!ready && <PlainField {...props} onBlur={loaded ? undefined : props.onBlur} onLoad={setLoaded} />}
    </>
  );
}

function PlainField({ onLoad, ...props }: Props & { onLoad(loaded: Loaded): void }) {
  return (
    <textarea
      {...props.control}
      className="control font-mono text-xs"
      rows={Math.min(12, Math.max(3, props.value.split('\n').length))}
      spellCheck={false}
      autoComplete="off"
      placeholder={props.placeholder}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      onBlur={props.onBlur}
      onFocus={({ currentTarget: field }) => {
        const load = ({ createJsonEditor: create }: typeof import('./json-editor.ts')) => {
          if (document.activeElement === field) onLoad({ create, caret: field.selectionStart });
        };
        void import('./json-editor.ts').then(load, () => undefined);
      }}
    />
  );
}
