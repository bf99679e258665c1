import { formatDuration } from "../../lib/format.ts";

/** A time from a start: `+12 ms`, and `-3 s` when clocks disagree. */
export function formatOffset(ms: number): string {
	return ms < 0 ? formatDuration(ms) : `+${formatDuration(ms)}`;
}
