import type { Analytics } from "@spanward/client";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { texts } from "../texts/en.ts";
import { spanKind } from "../ui/span-kind.tsx";

export type Series = Analytics["series"][number];
type GroupPart = Series["group"][number];

/** The same for the same values of the same fields, wherever they occur. */
export function groupKey(group: readonly Pick<GroupPart, "field" | "value">[]): string {
	return JSON.stringify(group.map(({ field, value }) => [field, value]));
}

/** One value in words. */
export function valueLabel({ field, value, label }: GroupPart): string {
	if (value === null) return TEXTS.none;
	return field === "kind" && typeof value === "string" ? texts.kind[spanKind(value)] : label || TEXTS.empty;
}

/** `gpt-4o · production` */
export function groupLabel(group: readonly GroupPart[]): string {
	return group.map(valueLabel).join(" · ");
}

/** `attributes['tenant']` → tenant, `user` → User. */
export function fieldLabel(field: string): string {
	const known: Readonly<Record<string, string | undefined>> = TEXTS.group;
	const [, key] = /^\w+\['(.*)'\]/s.exec(field) ?? [];
	if (key !== undefined) return field.endsWith(".label") ? `${unescaped(key)} (${TEXTS.label})` : unescaped(key);
	return known[field] ?? field.charAt(0).toUpperCase() + field.slice(1).replaceAll("_", " ");
}

/** A field of the schema such as `attributes['…']` with its key. */
export function withKey(template: string, key: string): string {
	return template.replace("…", () => key.replaceAll("\\", "\\\\").replaceAll("'", "\\'"));
}

function unescaped(key: string): string {
	return key.replaceAll("\\'", "'").replaceAll("\\\\", "\\");
}
