/** Lines of text that are being read. */
export const TextSkeleton = ({ className }: { className: string }) => (
  <div aria-busy className={`flex flex-col gap-5 ${className}`}>
    {['w-3/5', 'w-2/5', 'w-1/2', 'w-4/5'].map((width) => (
      <span key={width} className={`skeleton ${width}`} />
    ))}
  </div>
);
