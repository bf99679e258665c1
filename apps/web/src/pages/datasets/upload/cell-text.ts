import { formatJson, type Json } from "../../../ui/content/json-value.ts";

const LONGEST = 300;

/** The beginning of a value on one line. */
export function cellText(value: Json | undefined): string {
	if (value === undefined) return "";
	return (typeof value === "string" ? value : formatJson(value, 0)).slice(0, LONGEST);
}
