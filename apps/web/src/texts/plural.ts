/** `1 trace`, `12 traces`: the number and the right form of the noun. */
export function counted(count: number, one: string, other: string): string {
	return `${grouped(count)} ${count === 1 ? one : other}`;
}

/** 12,345. Making an `Intl.NumberFormat` takes more than ten milliseconds when a page starts. */
export function grouped(value: number): string {
	return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
