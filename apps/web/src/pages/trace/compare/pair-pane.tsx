import { ApiError, type SpanDetail } from "@spanward/client";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import ExternalLink from "lucide-react/icons/external-link";
import { type ReactNode, type Ref, useMemo } from "react";
import { useDebounced } from "../../../lib/use-debounced.ts";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { traceTexts } from "../../../texts/trace-en.ts";
import { Chip } from "../../../ui/chip.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { SpanKindLabel } from "../../../ui/span-kind.tsx";
import { DamagedSpan, isDamaged } from "../damaged-span.tsx";
import { Section } from "../section.tsx";
import { spanQuery } from "../span-queries.ts";
import type { TraceSpan } from "../trace-span.ts";
import type { ComparedRow } from "./compare-rows.ts";
import { PairContent } from "./pair-content.tsx";
import { pairContents } from "./pair-contents.ts";
import { differingAttributes, pairFacts, pairParameters } from "./pair-facts.ts";
import { PairValues } from "./pair-values.tsx";
import type { LoadedSide } from "./use-comparison.ts";

export interface PairPaneProps {
	readonly ref: Ref<HTMLDivElement>;
	readonly row: ComparedRow | undefined;
	readonly left: LoadedSide;
	readonly right: LoadedSide;
}

/** The spans of the selected row, side by side. */
export function PairPane({ ref, row, left, right }: PairPaneProps): ReactNode {
	const span = row?.right ?? row?.left;
	return (
		<div
			ref={ref}
			tabIndex={-1}
			className="@container flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto outline-none"
		>
			{row && span ? (
				<>
					<header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1.5">
						<SpanKindLabel kind={span.kind} className="text-sm" />
						<h2 className="min-w-0 truncate font-semibold" title={span.name}>
							{span.name || traceTexts.unnamed}
						</h2>
						<Chip>{TEXTS.state[row.state]}</Chip>
						<span className="ml-auto flex items-center gap-3">
							<SpanLink side={left} span={row.left} label={TEXTS.side.left} />
							<SpanLink side={right} span={row.right} label={TEXTS.side.right} />
						</span>
					</header>
					<Pair row={row} left={left} right={right} />
				</>
			) : (
				<p className="p-3 text-muted">{TEXTS.choose}</p>
			)}
		</div>
	);
}

function SpanLink({ side, span, label }: { side: LoadedSide; span: TraceSpan | undefined; label: string }): ReactNode {
	if (!span) return null;
	return (
		<Link
			to="/p/$project/traces/$trace"
			params={{ project: side.project, trace: side.traceId }}
			search={{ span: span.spanId }}
			title={TEXTS.openSpan(label)}
			className="inline-flex items-center gap-1 text-accent text-sm hover:underline"
		>
			{label}
			<ExternalLink size={12} aria-hidden />
		</Link>
	);
}

/** While an arrow key is held down, nothing is asked for. */
const SETTLED_MS = 90;

function Pair({ row, left, right }: Omit<PairPaneProps, "ref" | "row"> & { row: ComparedRow }): ReactNode {
	const leftQuery = useSpanDetail(left, row.left?.spanId);
	const rightQuery = useSpanDetail(right, row.right?.spanId);
	const error = leftQuery.error ?? rightQuery.error;
	if (error) {
		const isGone = error instanceof ApiError && error.status === 404;
		if (isGone)
			return (
				<p role="alert" className="p-3 text-muted">{`${traceTexts.spanNotFound}. ${traceTexts.spanNotFoundText}`}</p>
			);
		return (
			<ErrorState
				error={error}
				onRetry={() => void Promise.all([leftQuery, rightQuery].map((query) => query.error && query.refetch()))}
			/>
		);
	}
	if ((row.left && !leftQuery.data) || (row.right && !rightQuery.data)) {
		return (
			<div className="flex flex-col gap-3 p-3">
				<Skeleton className="h-4 w-2/3" />
				<Skeleton className="h-4 w-1/2" />
				<Skeleton className="h-4 w-3/5" />
			</div>
		);
	}
	const sides = {
		left: row.left && leftQuery.data && { span: row.left, detail: leftQuery.data, traceStartMicros: startOf(left) },
		right: row.right &&
			rightQuery.data && { span: row.right, detail: rightQuery.data, traceStartMicros: startOf(right) },
	};
	const only = row.state === "left" || row.state === "right" ? row.state : undefined;
	const damaged = [leftQuery.data, rightQuery.data].find((detail) => detail && isDamaged(detail));
	return (
		<div className="flex flex-col gap-4 px-3 pb-3">
			{only && <p className="text-muted">{TEXTS.only[only]}</p>}
			<PairValues
				label={traceTexts.section.details}
				values={pairFacts(sides.left, sides.right)}
				only={only}
				withDelta
			/>
			{damaged ? (
				<DamagedSpan span={damaged} />
			) : (
				<Contents left={leftQuery.data} right={rightQuery.data} only={only} />
			)}
		</div>
	);
}

function Contents({
	left,
	right,
	only,
}: {
	left: SpanDetail | undefined;
	right: SpanDetail | undefined;
	only: "left" | "right" | undefined;
}): ReactNode {
	const contents = useMemo(() => pairContents(left, right), [left, right]);
	const parameters = useMemo(() => pairParameters(left, right), [left, right]);
	const attributes = useMemo(() => differingAttributes(left, right), [left, right]);
	return (
		<>
			{contents.map((content) => (
				<PairContent key={content.title} content={content} only={only} />
			))}
			{parameters.length > 0 && (
				<Section title={TEXTS.parameters}>
					<PairValues label={TEXTS.parameters} values={parameters} only={only} />
				</Section>
			)}
			<Section title={only ? traceTexts.section.attributes : TEXTS.attributes}>
				{attributes.length === 0 ? (
					<p className="text-muted">{TEXTS.noAttributes}</p>
				) : (
					<PairValues label={TEXTS.attributes} values={attributes} only={only} />
				)}
			</Section>
		</>
	);
}

function useSpanDetail({ project, traceId }: LoadedSide, spanId: string | undefined): UseQueryResult<SpanDetail> {
	const settled = useDebounced(spanId, SETTLED_MS);
	const query = useQuery({
		...spanQuery(project, traceId, spanId ?? ""),
		enabled: spanId !== undefined && settled === spanId,
	});
	return query;
}

function startOf({ loaded }: LoadedSide): number {
	return loaded.spans[0]?.startMicros ?? 0;
}
