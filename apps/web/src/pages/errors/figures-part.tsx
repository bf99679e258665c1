import type { ErrorGroupDetail } from "@spanward/client";
import type { ReactNode } from "react";
import { formatInteger, UNKNOWN } from "../../lib/format.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { ClockTime } from "../../ui/relative-time.tsx";
import { GroupPart } from "./group-part.tsx";

/** How often, for how many, since when. */
export function FiguresPart({ group }: { group: ErrorGroupDetail }): ReactNode {
	const NAMES = TEXTS.figure;
	const figures: readonly (readonly [string, ReactNode])[] = [
		[NAMES.count, formatInteger(group.count)],
		[NAMES.users, formatInteger(group.user_count)],
		[NAMES.sessions, formatInteger(group.session_count)],
		[NAMES.traces, formatInteger(group.trace_count)],
		[NAMES.total, formatInteger(group.total_count)],
		[NAMES.first, <ClockTime key="first" time={group.first_seen} />],
		[NAMES.last, <ClockTime key="last" time={group.last_seen} />],
		[NAMES.firstRelease, group.first_release ?? UNKNOWN],
		[NAMES.lastRelease, group.last_release ?? UNKNOWN],
	];
	return (
		<GroupPart title={TEXTS.figures}>
			<dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
				{figures.map(([name, value]) => (
					<div key={name} className="contents">
						<dt className="text-muted">{name}</dt>
						<dd className="truncate text-right">{value}</dd>
					</div>
				))}
			</dl>
		</GroupPart>
	);
}
