import { encode } from 'uqr';

/** Quiet zone that scanners want, in modules. */
const border = 3;

/** A text as a QR code; dark on white in both themes, as scanners expect it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-46 rounded-md border bg-[#ffffff] text-[#000000]"
    >
      <path d={path} fill="currentColor" />
    </svg>
  );
}
