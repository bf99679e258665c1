import type { ReactNode } from "react";
import { formatExactTime, formatRelative, formatTime, useNow, useTimeZone } from "../lib/time.ts";

/** A time as "3m ago"; exact on hover. */
export function RelativeTime({ time, className }: { time: string | number; className?: string }): ReactNode {
	useTimeZone();
	return (
		<time dateTime={new Date(time).toISOString()} title={formatExactTime(time)} className={className}>
			{formatRelative(time, useNow())}
		</time>
	);
}

/** A time of day, with the date when it is another day; exact on hover. */
export function ClockTime({ time, className }: { time: string | number; className?: string }): ReactNode {
	useTimeZone();
	return (
		<time dateTime={new Date(time).toISOString()} title={formatExactTime(time)} className={className}>
			{formatTime(time, useNow())}
		</time>
	);
}
