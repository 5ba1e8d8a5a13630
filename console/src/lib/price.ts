const priceFormat = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 12, useGrouping: false });
/** A price, which may be a fraction of a cent: two decimals at least, so that a column of them lines up. */
export const formatPrice = (dollars: number): string => `$${priceFormat.format(Number(dollars.toPrecision(6)))}`;
