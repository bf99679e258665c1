import { usageFailure } from "./failure.ts";

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * The time that `--since` means: so long ago (`90s`, `2h`, `7d`), or a time of ISO 8601.
 * @returns ISO 8601 in UTC
 */
export function timeOf(text: string, option: string): string {
	const ago = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(text.trim());
	const at = ago ? Date.now() - Number(ago[1]) * (UNITS_MS[ago[2] ?? ""] ?? 0) : Date.parse(text);
	if (!Number.isFinite(at) || Math.abs(at) > 8.64e15)
		throw usageFailure(`--${option} takes a time as 90s, 30m, 2h, 7d or 4w ago, or 2026-01-31T12:00:00Z.`);
	return new Date(at).toISOString();
}

/** `2026-01-31 12:00:00Z`, of an ISO 8601 time. */
export function formatTime(time: string | null | undefined): string {
	if (time === null || time === undefined) return "";
	const at = new Date(time);
	return Number.isNaN(at.getTime()) ? time : `${at.toISOString().slice(0, 19).replace("T", " ")}Z`;
}

export function formatDuration(ms: number | null | undefined): string {
	if (ms === null || ms === undefined) return "";
	if (ms < 1) return `${Number(ms.toFixed(2))} ms`;
	if (ms < 1_000) return `${Math.round(ms)} ms`;
	if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
	if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m ${Math.floor((ms % 60_000) / 1_000)}s`;
	return `${Math.floor(ms / 3_600_000)}h ${Math.floor((ms % 3_600_000) / 60_000)}m`;
}

export function formatCost(dollars: number | null | undefined): string {
	if (dollars === null || dollars === undefined) return "";
	return dollars === 0 ? "$0" : `$${dollars < 0.01 ? Number(dollars.toPrecision(2)) : dollars.toFixed(2)}`;
}

/** `1 span`, `1,200 spans`. */
export function counted(count: number, one: string): string {
	return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

export function formatBytes(bytes: number): string {
	if (bytes < 1_000) return `${bytes} B`;
	if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
	if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
	return `${(bytes / 1_000_000_000).toFixed(2)} GB`;
}
