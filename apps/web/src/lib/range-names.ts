/** Ranges of the calendar of the zone that times are shown in; weeks begin on Monday. */
export const NAMED_RANGES = ["today", "yesterday", "this_week", "last_week", "this_month", "last_month"] as const;
export type NamedRange = (typeof NAMED_RANGES)[number];

export function isNamedRange(text: string | undefined): text is NamedRange {
	return (NAMED_RANGES as readonly (string | undefined)[]).includes(text);
}

/** The range of lists and pages of end users. */
export const USERS_RANGE = "30d";
