/** A value as the filter language reads it back. */
export function literal(value: string | number | boolean): string {
	if (typeof value === "boolean") return value ? "True" : "False";
	if (typeof value === "number") return String(value);
	return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}'`;
}
