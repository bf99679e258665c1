import type { ErrorGroupDetail, ErrorOccurrence } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { UNKNOWN } from "../../lib/format.ts";
import { formatTime } from "../../lib/time.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { ClockTime } from "../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { GroupPart } from "./group-part.tsx";

interface Sample {
	readonly what: string;
	readonly occurrence: ErrorOccurrence;
}

/** The newest, the oldest, and the newest of each release. */
export function SamplesPart({ project, group }: { project: string; group: ErrorGroupDetail }): ReactNode {
	const { newest, oldest, by_release: byRelease } = group;
	const samples: Sample[] = [
		...(newest === null ? [] : [{ what: TEXTS.newest, occurrence: newest }]),
		...(oldest === null ? [] : [{ what: TEXTS.oldest, occurrence: oldest }]),
		...byRelease.map((occurrence) => ({ what: TEXTS.inRelease(occurrence.release ?? UNKNOWN), occurrence })),
	];
	if (samples.length === 0) return null;
	return (
		<GroupPart title={TEXTS.traces}>
			<Table label={TEXTS.traces} columns={columns(project)} rows={samples} rowKey={({ what }) => what} />
		</GroupPart>
	);
}

function columns(project: string): TableColumn<Sample>[] {
	return [
		{
			key: "what",
			title: TEXTS.sampleColumn.what,
			className: "w-32 truncate max-sm:w-28",
			cell: ({ what, occurrence }) => <TraceLink project={project} occurrence={occurrence} text={what} />,
		},
		{
			key: "time",
			title: TEXTS.sampleColumn.time,
			className: "w-28",
			cell: ({ occurrence }) => <ClockTime time={occurrence.time} className="text-muted" />,
		},
		{
			key: "user",
			title: TEXTS.sampleColumn.user,
			className: "w-28 max-sm:hidden",
			cell: ({ occurrence }) => occurrence.user_id ?? UNKNOWN,
		},
		{
			key: "message",
			title: TEXTS.sampleColumn.message,
			cell: ({ occurrence }) => <span title={occurrence.message}>{occurrence.message}</span>,
		},
	];
}

/** Leads to the span that failed, in its trace. */
export function TraceLink({
	project,
	occurrence,
	text,
}: {
	project: string;
	occurrence: ErrorOccurrence;
	text: ReactNode;
}): ReactNode {
	return (
		<Link
			to="/p/$project/traces/$trace"
			params={{ project, trace: occurrence.trace_id }}
			search={{ span: occurrence.span_id }}
			title={TEXTS.openTrace(formatTime(occurrence.time))}
			className="font-medium hover:text-accent hover:underline"
		>
			{text}
		</Link>
	);
}
