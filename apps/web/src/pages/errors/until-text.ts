import type { ErrorGroup } from "@spanward/client";
import { formatTime } from "../../lib/time.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";

/** Until when something is ignored, in words. */
export function untilText(until: Partial<NonNullable<ErrorGroup["ignore_until"]>> | null): string {
	const { time = null, occurrences = null, users = null } = until ?? {};
	const parts = [
		...(time === null ? [] : [TEXTS.untilTime(formatTime(time))]),
		...(occurrences === null ? [] : [TEXTS.untilOccurrences(occurrences)]),
		...(users === null ? [] : [TEXTS.untilUsers(users)]),
	];
	return parts.length === 0 ? TEXTS.forEver : TEXTS.until(parts.join(TEXTS.or));
}
