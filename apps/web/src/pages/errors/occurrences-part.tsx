import type { ErrorGroupDetail, ErrorOccurrence } from "@spanward/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { UNKNOWN } from "../../lib/format.ts";
import { formatTime } from "../../lib/time.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { GroupPart } from "./group-part.tsx";
import { occurrencePages } from "./queries.ts";
import { TraceLink } from "./samples-part.tsx";

interface OccurrencesProps {
	readonly project: string;
	readonly group: ErrorGroupDetail;
	readonly range: TimeRangeSearch;
}

/** All failures of the group, once a person wants them. */
export function OccurrencesPart(props: OccurrencesProps): ReactNode {
	const [isShown, show] = useState(false);
	return (
		<GroupPart title={TEXTS.occurrences}>
			{isShown ? (
				<Occurrences {...props} />
			) : (
				<Button className="self-start" onClick={() => show(true)}>
					{TEXTS.showOccurrences}
				</Button>
			)}
			<Link
				to="/p/$project/traces"
				params={{ project: props.project }}
				search={{ ...props.range, view: "spans", filter: `error_group == '${props.group.fingerprint}'` }}
				className="self-start text-accent hover:underline"
			>
				{TEXTS.spansOfGroup}
			</Link>
		</GroupPart>
	);
}

function Occurrences({ project, group, range }: OccurrencesProps): ReactNode {
	const query = useInfiniteQuery(occurrencePages(group.id, range));
	return (
		<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
			{(occurrences) =>
				occurrences.length === 0 ? (
					<p className="text-muted">{TEXTS.noneInRange}</p>
				) : (
					<>
						<Table
							label={TEXTS.occurrences}
							columns={columns(project)}
							rows={occurrences}
							rowKey={({ trace_id: trace, span_id: span, time }) => `${trace} ${span} ${time}`}
						/>
						<MoreRows query={query} what={TEXTS.moreOccurrences} />
					</>
				)
			}
		</Loaded>
	);
}

function columns(project: string): TableColumn<ErrorOccurrence>[] {
	const { time, release, user, message } = TEXTS.sampleColumn;
	return [
		{
			key: "time",
			title: time,
			className: "w-32",
			cell: (row) => <TraceLink project={project} occurrence={row} text={formatTime(row.time)} />,
		},
		{ key: "release", title: release, className: "w-24 max-sm:hidden", cell: (row) => row.release ?? UNKNOWN },
		{ key: "user", title: user, className: "w-28 max-sm:hidden", cell: (row) => row.user_id ?? UNKNOWN },
		{ key: "message", title: message, cell: (row) => <span title={row.message}>{row.message}</span> },
	];
}
