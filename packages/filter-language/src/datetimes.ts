const DATETIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})$/i;

/**
 * Microseconds since 1970 of an ISO 8601 text with an offset; further digits are cut off. Undefined for any other text.
 */
export function parseDatetime(text: string): number | undefined {
	const match = DATETIME.exec(text.trim());
	if (match === null) return undefined;
	const [, date = "", minutes = "", seconds = "00", fraction = "", offset = ""] = match;
	const zone = /^z$/i.test(offset) ? "Z" : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
	const wholeSeconds = Date.parse(`${date}T${minutes}:${seconds}${zone}`);
	if (Number.isNaN(wholeSeconds) || !isCalendarDay(date)) return undefined;
	return wholeSeconds * 1_000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}

/** `Date.parse` accepts February 30 as March 1. */
function isCalendarDay(date: string): boolean {
	const time = Date.parse(`${date}T00:00:00Z`);
	return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
