/** Amounts of money are whole billionths of a dollar: sums of them are exact. */
const NANOS = 1_000_000_000;

export function toNanos(dollars: number): number {
	return Math.round(dollars * NANOS);
}

export function toDollars(nanos: number): number {
	return nanos / NANOS;
}

/** `$0.0042`: at least cents, and for amounts below a dollar as many digits as it takes to see them. */
export function formatDollars(nanos: number): string {
	const digits = Math.abs(nanos) >= NANOS ? 2 : Math.abs(nanos) >= 10_000 ? 6 : 9;
	const [whole, part = ""] = toDollars(nanos).toFixed(digits).split(".");
	return `$${whole}.${part.replace(/0+$/, "").padEnd(2, "0")}`;
}
