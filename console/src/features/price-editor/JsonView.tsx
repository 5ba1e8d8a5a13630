import { price_json_object, price_tool_hint } from '../../i18n/generated/messages.ts';
import { JsonField, jsonFaultText } from '../../ui/form/JsonField.tsx';
import { editedOptions, type PriceTexts } from './draft.ts';

const toolExample = '{"*":{"web_search":10}}';

const faultOf = (text: string): string | undefined =>
  jsonFaultText(text) ?? (/^\s*\{/.test(text) ? undefined : price_json_object());

/** Every option of the prices as its JSON text; faults are named by line and column. */
export function JsonView({ texts, change }: { texts: PriceTexts; change(key: keyof PriceTexts, text: string): void }) {
  return (
    <div className="grid grid-cols-2 gap-x-4 gap-y-5 max-md:grid-cols-1">
      {editedOptions.map((key) => (
        <JsonField
          key={key}
          label={key}
          hint={key === 'ToolPrice' ? price_tool_hint({ example: toolExample }) : undefined}
          value={texts[key]}
          error={faultOf(texts[key])}
          onChange={(text) => change(key, text)}
        />
      ))}
    </div>
  );
}
