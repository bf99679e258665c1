/** One measured number beside what it has to be. */
export interface Figure {
	readonly name: string;
	readonly value: number;
	readonly unit: string;
	readonly target: { readonly atLeast: number } | { readonly atMost: number };
	/** How it was measured, or its spread. */
	readonly detail: string;
}

export function passes({ value, target }: Figure): boolean {
	return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}

/** The figures as a Markdown table. */
export function formatTable(figures: readonly Figure[]): string {
	const rows = figures.map((figure) => [
		figure.name,
		`${formatNumber(figure.value)} ${figure.unit}`.trim(),
		"atLeast" in figure.target ? `≥ ${formatNumber(figure.target.atLeast)}` : `≤ ${formatNumber(figure.target.atMost)}`,
		passes(figure) ? "yes" : "**no**",
		figure.detail,
	]);
	return [["Figure", "Measured", "Target", "Reached", "How"], ["---", "---", "---", "---", "---"], ...rows]
		.map((cells) => `| ${cells.join(" | ")} |`)
		.join("\n");
}

export function formatNumber(value: number): string {
	return value.toLocaleString("en-US", { maximumFractionDigits: value < 100 ? 1 : 0 });
}

/** The value below which `share` (0–1) of the numbers lie. @throws when there are none */
export function quantile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
	if (value === undefined) throw new Error("nothing was measured");
	return value;
}

/** Smallest, middle and largest, in words. */
export function describeSpread(values: readonly number[]): string {
	return `${values.length} runs: ${values
		.toSorted((a, b) => a - b)
		.map(formatNumber)
		.join(" / ")}`;
}
