import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, placeholder as placeholderText } from '@codemirror/view';
import { json_fault } from '../../i18n/generated/messages.ts';
import { findJsonFault } from '../../lib/json-fault.ts';

/** The editor of JSON texts. A chunk of its own that loads when a JSON field gets the focus. */

interface Setup {
  text: string;
  /** Where the caret starts. */
  caret: number;
  placeholder: string;
  attributes: Record<string, string>;
  onChange(text: string): void;
  onBlur(): void;
}

export interface JsonEditor {
  setText(text: string): void;
  setAttributes(attributes: Record<string, string>): void;
  destroy(): void;
}

const lintDelayMs = 300;

/** The standard distinctions in the colours of our theme: texts green, everything else that stands out violet. */
const colours = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ tag, color }) => ({
    tag,
    color: color === '#a11' ? 'var(--ok)' : color ? 'var(--violet)' : 'inherit',
  })),
);

const theme = EditorView.theme({
  '&': { color: 'var(--fg)', backgroundColor: 'transparent', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5', minHeight: '66px', maxHeight: '320px' },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--fg)', minWidth: '0' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', border: 'none' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--fg)', border: '1px solid var(--line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
});

/** The first fault of the text, underlined where it is. */
function faultsIn(view: EditorView): Diagnostic[] {
  const text = view.state.doc.toString();
  const fault = text.trim() === '' ? undefined : findJsonFault(text);
  if (!fault) return [];
  const line = view.state.doc.line(Math.min(fault.line, view.state.doc.lines));
  const from = Math.min(line.to, line.from + fault.column - 1);
  const message = json_fault({ line: fault.line, column: fault.column });
  return [{ from, to: Math.min(view.state.doc.length, from + 1), severity: 'error', message }];
}

/** Puts an editor into an element and gives it the focus. Tab still leaves it. */
export function createJsonEditor(parent: HTMLElement, setup: Setup): JsonEditor {
  const attributes = new Compartment();
  /** While the page itself sets the text, which is no edit. */
  let setting = false;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: setup.text,
      selection: { anchor: Math.min(setup.caret, setup.text.length) },
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        EditorView.lineWrapping,
        json(),
        syntaxHighlighting(colours),
        linter(faultsIn, { delay: lintDelayMs }),
        lintGutter(),
        theme,
        placeholderText(setup.placeholder),
        keymap.of([...standardKeymap, ...historyKeymap]),
        attributes.of(EditorView.contentAttributes.of(setup.attributes)),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && !setting && setup.onChange(state.doc.toString())),
        EditorView.domEventHandlers({ blur: () => setup.onBlur() }),
      ],
    }),
  });
  view.focus();
  return {
    setText(text) {
      if (text === view.state.doc.toString()) return;
      setting = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      setting = false;
    },
    setAttributes: (next) => view.dispatch({ effects: attributes.reconfigure(EditorView.contentAttributes.of(next)) }),
    destroy: () => view.destroy(),
  };
}
