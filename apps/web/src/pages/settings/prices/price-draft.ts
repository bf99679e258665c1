import type { ModelPrice } from "@spanward/client";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import type { Match } from "./price-match.ts";

const TEXTS = dataSettingsTexts.prices;
export const KINDS = ["input", "output", "cache_read", "cache_write", "reasoning"] as const;
export type Kind = (typeof KINDS)[number];

/** The values of the form for an own price. */
export interface PriceDraft {
	readonly name: string;
	readonly match: Match;
	readonly pattern: string;
	readonly provider: string;
	/** UTC, as people write it. */
	readonly start: string;
	readonly prices: Readonly<Record<Kind, string>>;
}

const NO_PRICES: PriceDraft["prices"] = { input: "", output: "", cache_read: "", cache_write: "", reasoning: "" };
export const NEW_PRICE: PriceDraft = {
	name: "",
	match: "exact",
	pattern: "",
	provider: "",
	start: "",
	prices: NO_PRICES,
};

/** The initial values from a price; from a built-in one as far as an own price can express it. */
export function priceDraft(price: ModelPrice): PriceDraft {
	return {
		name: price.origin === "own" ? price.name : "",
		match: price.match ?? "exact",
		pattern: price.pattern ?? price.name,
		provider: price.provider ?? "",
		start: price.start_time === null || price.origin === "built_in" ? "" : toText(price.start_time),
		prices: { ...NO_PRICES, ...Object.fromEntries(KINDS.map((kind) => [kind, String(price.prices[kind] ?? "")])) },
	};
}

/** 2026-11-21 09:00, without the time at midnight. */
function toText(time: string): string {
	const [date = "", clock = ""] = new Date(time).toISOString().slice(0, 16).split("T");
	return clock === "00:00" ? date : `${date} ${clock}`;
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}))?$/;

/** Parses a UTC time as people write it; null for an empty text, undefined for an invalid one. */
export function toTime(text: string): string | null | undefined {
	if (text.trim() === "") return null;
	const [, date, clock = "00:00"] = DATE.exec(text.trim()) ?? [];
	const time = new Date(`${date}T${clock}:00Z`);
	return date === undefined || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

export type PriceField = "pattern" | "name" | "provider" | "start_time" | Kind | "prices";

export function priceProblems(draft: PriceDraft): Partial<Record<PriceField, string>> {
	const problems: Partial<Record<PriceField, string>> = {};
	if (draft.pattern.trim() === "") problems.pattern = TEXTS.patternMissing;
	if (toTime(draft.start) === undefined) problems.start_time = TEXTS.startBad;
	for (const kind of KINDS) {
		const text = draft.prices[kind].trim();
		if (text !== "" && !(Number(text) >= 0 && Number.isFinite(Number(text)))) problems[kind] = TEXTS.priceBad;
	}
	if (draft.prices.input.trim() === "" && draft.prices.output.trim() === "") problems.prices = TEXTS.priceMissing;
	return problems;
}

/** The body of the request; the draft must have no problems. */
export function priceBody(draft: PriceDraft) {
	const filled = KINDS.filter((kind) => draft.prices[kind].trim() !== "");
	const pattern = draft.pattern.trim();
	return {
		name: draft.name.trim() || pattern,
		match: draft.match,
		pattern,
		provider: draft.provider.trim() || null,
		start_time: toTime(draft.start) ?? null,
		prices: Object.fromEntries(filled.map((kind) => [kind, Number(draft.prices[kind])])),
	};
}
