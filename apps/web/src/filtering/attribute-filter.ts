import { createContext } from "react";
import type { Json } from "../ui/content/json-value.ts";
import { quoted, withCondition, withoutCondition } from "./conditions.ts";

/** An attribute of a span that a list is to be filtered by. */
export interface AttributeFilter {
	/** Flattened: `metadata.tenant`. */
	readonly key: string;
	/** Where it cannot be compared with, the attribute's presence is meant. */
	readonly value: Json;
	/** Rows with the attribute are left out instead. */
	readonly isExcluded: boolean;
}

/** Filters the list that the trace was opened from, or a new one; null where there is none. */
export const FilterByAttribute = createContext<((asked: AttributeFilter) => void) | null>(null);

const MAX_TEXT = 500;

/** Adds a condition on an attribute to the filter of a list of spans, or of traces by any of their spans. */
export function withAttribute(
	filter: string | undefined,
	target: "span" | "trace",
	{ key, value, isExcluded }: AttributeFilter,
): string {
	const literal = toLiteral(value);
	const name = `attributes[${quoted(key)}]`;
	const compared = (prefix: string, operator: "==" | "!=") => `${prefix}${name} ${operator} ${literal}`;
	const [only, without] =
		target === "trace"
			? trace(literal === undefined ? `x.${name} is not None` : compared("x.", "=="))
			: literal === undefined
				? [`${name} is not None`, `${name} is None`]
				: [compared("", "=="), `(${compared("", "!=")} or ${name} is None)`];
	const [wanted, opposite] = isExcluded ? [without, only] : [only, without];
	return withCondition(withoutCondition(filter, opposite), wanted);
}

function trace(condition: string): readonly [only: string, without: string] {
	const any = `any(${condition} for x in spans)`;
	return [any, `not ${any}`];
}

function toLiteral(value: Json): string | undefined {
	if (typeof value === "string") return value.length <= MAX_TEXT ? quoted(value) : undefined;
	if (typeof value === "boolean") return value ? "True" : "False";
	if (typeof value === "bigint") return String(value);
	return typeof value === "number" && Number.isFinite(value) ? String(value) : undefined;
}
