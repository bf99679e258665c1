import type { ReactNode } from "react";
import { formatExactTime, formatRelative, useNow, useTimeZone } from "../../lib/time.ts";

/** When a queue is due; late in red. */
export function DueDate({ time }: { time: string | null }): ReactNode {
	useTimeZone();
	const now = useNow();
	if (time === null) return null;
	return (
		<time
			dateTime={new Date(time).toISOString()}
			title={formatExactTime(time)}
			className={Date.parse(time) < now ? "text-danger" : "text-muted"}
		>
			{formatRelative(time, now)}
		</time>
	);
}
