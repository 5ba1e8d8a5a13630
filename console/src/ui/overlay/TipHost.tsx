import { Tooltip } from '@base-ui/react/tooltip';
import { useStore } from '../../lib/store.ts';
import { hoverTip, leaveTip, tips } from '../tips.ts';

/** The one tooltip of the application: stays while the pointer is on it, Escape closes it. */
export function TipHost() {
  const tip = useStore(tips);
  if (!tip) return null;
  return (
    <Tooltip.Root open>
      <Tooltip.Portal>
        <Tooltip.Positioner anchor={tip.anchor} side="top" sideOffset={6} collisionPadding={8} className="z-50">
          <Tooltip.Popup
            id={tip.id}
            role="tooltip"
            onPointerEnter={hoverTip}
            onPointerLeave={leaveTip}
            className="max-w-80 whitespace-pre-line rounded-md bg-fg px-2 py-1 text-surface text-xs shadow-overlay"
          >
            {tip.text}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
