import {
	formatCompact,
	formatCost,
	formatDuration,
	formatFixed,
	formatInteger,
	formatPercent,
	UNKNOWN,
} from "../lib/format.ts";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import type { AnalyticsRows, NumberForm } from "./chart.ts";

export type Unit = "rows" | "rate" | "ms" | "tokens" | "usd" | "number";

const FUNCTION = /^(\w+)\((.*)\)$/s;

/** The unit of a measure by its name, so that a chart need not wait for the schema. */
export function unitOf(measure: string): Unit {
	const [, name, argument = ""] = FUNCTION.exec(measure) ?? [];
	if (name === "count") return "rows";
	if (name !== undefined) return unitOfNumber(argument);
	if (/^(?:latency|duration)_/.test(measure)) return "ms";
	if (measure.startsWith("cost_")) return "usd";
	if (measure.startsWith("tokens_")) return "tokens";
	if (measure.startsWith("score_")) return "number";
	return measure.endsWith("_rate") ? "rate" : "rows";
}

/** The unit of a number of each row, such as `latency_ms` or `attributes['…']`. */
function unitOfNumber(field: string): Unit {
	if (field === "latency_ms" || field === "duration_ms") return "ms";
	if (/cost$/.test(field)) return "usd";
	return /^(?:llm_)?token_count_/.test(field) ? "tokens" : "number";
}

/** Whether the values of groups, or of buckets, may be added up. */
export function isAdditive(measure: string): boolean {
	const [, name] = FUNCTION.exec(measure) ?? [];
	if (name !== undefined) return name === "sum" || name === "count";
	return !(measure.startsWith("unique_") || measure.endsWith("_rate")) && !/^(?:latency|duration|score)_/.test(measure);
}

const FORMATS: Readonly<Record<Unit, (value: number | null | undefined) => string>> = {
	rows: formatCompact,
	rate: formatPercent,
	ms: formatDuration,
	tokens: formatCompact,
	usd: formatCost,
	number: formatCompact,
};

export function formatOf(measure: string, form?: NumberForm): (value: number | null | undefined) => string {
	return formatIn(unitOf(measure), form);
}

/** The form of a number of each row. */
export function formatNumberOf(field: string, form?: NumberForm): (value: number) => string {
	return formatIn(unitOfNumber(field), form);
}

function formatIn(unit: Unit, { unit: own, decimals }: NumberForm = {}) {
	if (own === undefined && decimals === undefined) return FORMATS[unit];
	return (value: number | null | undefined): string => {
		if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN;
		const inSeconds = unit === "ms" && own === undefined && Math.abs(value) >= 1_000;
		const number = unit === "rate" ? value * 100 : inSeconds ? value / 1_000 : value;
		const text = decimals === undefined ? formatCompact(number) : formatFixed(number, decimals);
		if (own !== undefined) return `${text} ${own}`;
		if (unit === "usd") return text.replace(/^-?/, "$&$$");
		const behind = unit === "rate" ? " %" : unit === "ms" ? (inSeconds ? " s" : " ms") : "";
		return text + behind;
	};
}

/** All digits, for those who look closely. */
export function formatExactly(measure: string, value: number | null | undefined): string {
	if (value === null || value === undefined) return UNKNOWN;
	switch (unitOf(measure)) {
		case "rows":
		case "tokens":
			return formatInteger(value);
		case "ms":
			return `${value} ms`;
		case "usd":
			return `$${value}`;
		case "rate":
			return `${value * 100} %`;
		case "number":
			return String(value);
	}
}

/** `latency_p95` → Latency p95; functions as they are written. */
export function measureLabel(measure: string, of: AnalyticsRows): string {
	if (measure === "count") return rowsLabel(of);
	const known: Readonly<Record<string, string | undefined>> = TEXTS.measure;
	return known[measure] ?? (FUNCTION.test(measure) ? measure : toWords(measure));
}

export function rowsLabel(of: AnalyticsRows): string {
	const known: Readonly<Record<string, string | undefined>> = TEXTS.rows;
	return known[of] ?? toWords(of);
}

function toWords(name: string): string {
	const words = name.replaceAll("_", " ");
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether more of it is bad news. */
export function isBadNews(measure: string): boolean {
	return /^(?:error|failed|failure)_/.test(measure);
}

/** How much a number has changed, as a share of what it was; undefined where that says nothing. */
export function changeOf(now: number | null | undefined, before: number | null | undefined): number | undefined {
	if (now === null || now === undefined || before === null || before === undefined || before === 0) return undefined;
	return (now - before) / Math.abs(before);
}

/** +12 %, −0.4 %, ×14 */
export function formatChange(share: number): string {
	if (share >= 9.995) return `×${formatCompact(share + 1)}`;
	const sign = share < 0 ? "−" : "+";
	return share === 0 ? "±0 %" : `${sign}${formatPercent(Math.abs(share)).replace("<", "")}`;
}
