import { grouped } from "../texts/plural.ts";

/** Numbers as people read them; `–` for what is not known, never 0. */
export const UNKNOWN = "–";

function trimmed(value: number, digits: number): string {
	return String(Number(value.toPrecision(digits)));
}

/** 1.24 s, 840 ms, 2 m 05 s. */
export function formatDuration(ms: number | null | undefined): string {
	if (ms === null || ms === undefined || !Number.isFinite(ms)) return UNKNOWN;
	if (ms < 0) return `-${formatDuration(-ms)}`;
	if (ms === 0) return "0 ms";
	if (ms < 0.001) return "<1 µs";
	if (ms < 0.9995) return `${trimmed(ms * 1000, 3)} µs`;
	if (ms < 999.5) return `${trimmed(ms, 3)} ms`;
	if (ms < 59_995) return `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`;
	const seconds = Math.round(ms / 1000);
	const two = (value: number) => String(value).padStart(2, "0");
	if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
	if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} m`;
	return `${Math.floor(seconds / 86_400)} d ${two(Math.floor((seconds % 86_400) / 3600))} h`;
}

/** 840, 12.3k, 4.56M. */
export function formatCompact(value: number | null | undefined): string {
	if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN;
	const size = Math.abs(value);
	if (size < 999.5) return trimmed(value, 3);
	for (const [unit, suffix] of [
		[1e3, "k"],
		[1e6, "M"],
		[1e9, "G"],
	] as const) {
		if (size < unit * 999.5) return trimmed(value / unit, 3) + suffix;
	}
	return `${trimmed(value / 1e12, 3)}T`;
}

/** With 2 decimals: 12,345.60 */
export function formatFixed(value: number, decimals: number): string {
	const text = value.toFixed(decimals);
	const [whole = "", part] = text.replace("-", "").split(".");
	const sign = text.startsWith("-") && Number(text) !== 0 ? "-" : "";
	// Beyond 1e21 it has an exponent.
	const digits = /^\d+$/.test(whole) ? whole.replace(/\B(?=(?:\d{3})+$)/g, ",") : whole;
	return `${sign}${digits}${part === undefined ? "" : `.${part}`}`;
}

/** 12,345 */
export function formatInteger(value: number | null | undefined): string {
	return value === null || value === undefined ? UNKNOWN : grouped(value);
}

/** $0.0042, $1.23, $1,204 */
export function formatCost(dollars: number | null | undefined): string {
	if (dollars === null || dollars === undefined || !Number.isFinite(dollars)) return UNKNOWN;
	if (dollars === 0) return "$0";
	if (dollars < 0) return `-${formatCost(-dollars)}`;
	if (dollars < 0.000_001) return "<$0.000001";
	if (dollars < 0.995) {
		const text = dollars.toFixed(Math.min(8, 1 - Math.floor(Math.log10(dollars))));
		return `$${text.length > 4 ? text.replace(/0+$/, "") : text}`;
	}
	if (dollars < 999.5) return `$${dollars.toFixed(2)}`;
	return `$${grouped(dollars)}`;
}

/** Of a share 0–1: 0 %, 0.4 %, 12 %. */
export function formatPercent(share: number | null | undefined): string {
	if (share === null || share === undefined || !Number.isFinite(share)) return UNKNOWN;
	if (share === 0) return "0 %";
	if (share < 0.001) return "<0.1 %";
	return `${share < 0.0995 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;
}

/** 48 KB */
export function formatBytes(bytes: number | null | undefined): string {
	if (bytes === null || bytes === undefined) return UNKNOWN;
	if (bytes < 1000) return `${bytes} B`;
	if (bytes < 999_500) return `${trimmed(bytes / 1000, 3)} KB`;
	if (bytes < 999_500_000) return `${trimmed(bytes / 1e6, 3)} MB`;
	return `${trimmed(bytes / 1e9, 3)} GB`;
}
