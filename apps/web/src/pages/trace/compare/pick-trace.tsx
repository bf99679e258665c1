import type { Trace } from "@spanward/client";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../../../lib/api.ts";
import { foundQuery } from "../../../lib/find-ids.ts";
import { formatCompact, formatCost, formatDuration } from "../../../lib/format.ts";
import { projectSlug } from "../../../lib/project-slug.ts";
import { projectPages } from "../../../lib/projects.ts";
import { compareTracesTexts } from "../../../texts/compare-traces-en.ts";
import { traceTexts } from "../../../texts/trace-en.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorState, errorText } from "../../../ui/error-state.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { ClockTime } from "../../../ui/relative-time.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { StatusMark } from "../../../ui/status-mark.tsx";
import type { TraceHead } from "../queries.ts";
import { readTraceAddress } from "./trace-address.ts";
import type { SideOfComparison } from "./use-comparison.ts";

const TEXTS = compareTracesTexts.pick;
const LISTED = 12;

export interface PickTraceProps {
	readonly project: string;
	/** The trace that is compared with another; undefined while it loads. */
	readonly trace: TraceHead | undefined;
	readonly traceId: string;
	readonly onPick: (side: SideOfComparison) => void;
}

/** Asks for a trace: by an id or a link, or one of the newest of the same name or session. */
export function PickTrace({ project, trace, traceId, onPick }: PickTraceProps): ReactNode {
	return (
		<div className="flex min-h-0 flex-col gap-3 overflow-auto p-4">
			<ByAddress project={project} traceId={traceId} onPick={onPick} />
			{trace ? <Recent project={project} trace={trace} onPick={onPick} /> : <SkeletonRows rows={5} />}
		</div>
	);
}

function ByAddress({ project, traceId, onPick }: Omit<PickTraceProps, "trace">): ReactNode {
	const queries = useQueryClient();
	const [text, setText] = useState("");
	const find = useMutation({
		mutationFn: async (typed: string): Promise<SideOfComparison> => {
			const named = readTraceAddress(typed);
			if (!named) throw new Error(TEXTS.unclear);
			const found = named.project === undefined ? await search(named.traceId) : { ...named, project: named.project };
			if (found.traceId === traceId && found.project === project) throw new Error(TEXTS.itself);
			return found;
		},
		onSuccess: onPick,
	});
	const search = async (id: string): Promise<SideOfComparison> => {
		const { pages } = await queries.fetchInfiniteQuery(projectPages(undefined));
		const projects = pages.flatMap((page) => page.data);
		const found = await queries.fetchQuery(foundQuery(id, project, projects));
		const other = found.find((each) => each.traceId !== undefined && each.traceId !== traceId) ?? found[0];
		if (other?.traceId === undefined) throw new Error(TEXTS.notFound);
		return { project: projectSlug(other.project), traceId: other.traceId };
	};
	return (
		<form
			className="flex items-end gap-2"
			onSubmit={(event) => {
				event.preventDefault();
				if (text.trim() !== "") find.mutate(text);
			}}
		>
			<div className="min-w-0 flex-1">
				<Field label={TEXTS.field} error={find.error ? errorText(find.error).message : undefined}>
					<Input
						value={text}
						placeholder={TEXTS.placeholder}
						aria-invalid={find.isError}
						onChange={(event) => {
							setText(event.target.value);
							find.reset();
						}}
					/>
				</Field>
			</div>
			<Button
				type="submit"
				look="primary"
				disabled={text.trim() === "" || find.isPending}
				className={find.isError ? "mb-6" : ""}
			>
				{find.isPending ? TEXTS.looking : TEXTS.go}
			</Button>
		</form>
	);
}

function tracesQuery(project: string, filter: { name?: string[]; session_identifier?: string[] }) {
	return queryOptions({
		queryKey: ["traces-to-compare", project, filter],
		queryFn: async ({ signal }) => {
			const page = await api.get("/v1/projects/{project_identifier}/traces", {
				path: { project_identifier: project },
				query: { ...filter, limit: LISTED + 1 },
				signal,
			});
			return page.data;
		},
	});
}

function Recent({
	project,
	trace,
	onPick,
}: {
	project: string;
	trace: TraceHead;
	onPick: PickTraceProps["onPick"];
}): ReactNode {
	const name = trace.root_name ?? "";
	const session = trace.session_id;
	const named = useQuery({ ...tracesQuery(project, { name: [name] }), enabled: name !== "" });
	const ofSession = useQuery({
		...tracesQuery(project, { session_identifier: [session ?? ""] }),
		enabled: session !== null,
	});
	const newest = useQuery(tracesQuery(project, {}));
	const error = named.error ?? ofSession.error ?? newest.error;
	if (error) return <ErrorState error={error} />;
	if (!newest.data || (name !== "" && !named.data) || (session !== null && !ofSession.data))
		return <SkeletonRows rows={5} />;
	const seen = new Set([trace.trace_id]);
	const fresh = (list: readonly Trace[] = []) =>
		list.filter(({ trace_id: id }) => !seen.has(id) && seen.add(id)).slice(0, LISTED);
	const groups = [
		{ title: TEXTS.sameSession, traces: fresh(ofSession.data) },
		{ title: TEXTS.sameName(name), traces: fresh(named.data) },
		{ title: TEXTS.newest, traces: fresh(newest.data) },
	].filter(({ traces }) => traces.length > 0);
	if (groups.length === 0) return <p className="text-muted">{TEXTS.none}</p>;
	return groups.map(({ title, traces }) => (
		<section key={title} aria-label={title}>
			<h3 className="mb-1 truncate text-muted text-sm">{title}</h3>
			<ul>
				{traces.map((each) => (
					<li key={each.trace_id}>
						<Candidate trace={each} onPick={() => onPick({ project, traceId: each.trace_id })} />
					</li>
				))}
			</ul>
		</section>
	));
}

function Candidate({ trace, onPick }: { trace: Trace; onPick: () => void }): ReactNode {
	return (
		<button
			type="button"
			onClick={onPick}
			className="flex min-h-8 w-full min-w-0 items-center gap-2 rounded px-2 text-left hover:bg-hover pointer-coarse:min-h-11"
		>
			<StatusMark error={trace.error_count > 0} state={trace.state} />
			<span className="max-w-40 shrink-0 truncate">{trace.root_name || traceTexts.unnamed}</span>
			<span className="min-w-0 flex-1 truncate text-muted">{trace.first_input}</span>
			<span className="shrink-0 text-muted text-sm tabular-nums max-sm:hidden">
				{[
					formatDuration(trace.latency_ms),
					...(trace.token_count_total > 0 ? [traceTexts.tokens(formatCompact(trace.token_count_total))] : []),
					...(trace.total_cost === null ? [] : [formatCost(trace.total_cost)]),
				].join(" · ")}
			</span>
			<ClockTime time={trace.start_time} className="shrink-0 text-muted text-sm" />
		</button>
	);
}
